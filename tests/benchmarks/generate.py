"""Makes a graph as large as wanted, the same one for the same seed, and the questions to ask it.

The rows go straight into the tables of a real Keepgraph file, past the engine, so that a million facts take about
a minute; the triggers run, so the journal and the full-text indexes are as they would be.

    python tests/benchmarks/generate.py FILE --entities 100000 --facts 1000000 --seed 1
"""

from __future__ import annotations

import argparse
import bisect
import hashlib
import os
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from keepgraph import package_files, store
from keepgraph.engine import vector_backfill
from keepgraph.language import normalisation
from keepgraph.temporal import timestamps

ENTITIES = 100_000
FACTS = 1_000_000
SEED = 1

BEGAN = datetime(2023, 11, 1, tzinfo=UTC)
ENDED = datetime(2026, 11, 1, tzinfo=UTC)
"""The facts come in between these; a benchmark that looks at a week sets its clock to the end."""

CACHE = Path(__file__).parents[2] / ".benchmarks"

_BATCH = 10_000
_ALIASED = 0.2
_BOUNDED = 0.08

_SHARE_OF_ENTITIES = {"person": 0.40, "project": 0.04, "decision": 0.14, "concept": 0.30, "source": 0.12}

# Subject type, predicate, object type (None: a literal), share of all facts.
_KINDS_OF_FACT: tuple[tuple[str, str, str | None, float], ...] = (
    ("person", "mentioned_in", "source", 0.16),
    ("concept", "mentioned_in", "source", 0.10),
    ("person", "belongs_to", "project", 0.10),
    ("concept", "belongs_to", "project", 0.12),
    ("decision", "belongs_to", "project", 0.03),
    ("person", "decided_in", "decision", 0.05),
    ("person", "reports_to", "person", 0.06),
    ("concept", "depends_on", "concept", 0.16),
    ("project", "depends_on", "concept", 0.05),
    ("decision", "depends_on", "decision", 0.02),
    ("project", "blocked_by", "concept", 0.010),
    ("concept", "resolved_by", "decision", 0.012),
    ("decision", "resolved_by", "decision", 0.008),
    ("concept", "tagged", None, 0.06),
    ("person", "tagged", None, 0.04),
    ("project", "tagged", None, 0.02),
)

# First and last names, as (beginnings, ends): Latin letters of languages that are written in many scripts.
_PEOPLES: tuple[tuple[str, str, str, str], ...] = (
    (  # Hindi, Tamil, Bengali
        "Pri An Ra Su Ka Vi De Mee Aar Sha Ni La Man Ro Ish",
        "ya jali hul nita vya kshmi raj ndra ti sha dhar van mit nath rini",
        "Sha Ra Ven Mu Kri Cha Ban Sub Na Gu Pa Iy Red Bho Tha",
        "rma manathan katesan kherjee shnan tterjee dyopadhyay ramanian mbiar pta tel engar dy sle kur",
    ),
    (  # Portuguese, Spanish
        "Jo Ma Gon Lu Inê Rai Bea Cris Fer Andr Héc Pau Ren Tel Val",
        "ão ria çalo ísa sa munda triz tina nando éa tor lina ata ma éria",
        "Fer Gon Ro Mar Car Oli Sil Per Alme Nasci Qui Tei Bar Mon Ca",
        "nandes zález drigues tínez valho veira veira eira ida mento ñones xeira bosa teiro brera",
    ),
    (  # Chinese in pinyin
        "Xiao Zhi Jia Yu Wen Li Mei Hao Jun Ming Chun Guo Shu Bao Qing",
        "ling wei hui xuan jie hua fang ran yan tao mei qiang fen zhu lan",
        "Zha Che Liu Hua Wa Zho Xu Guo Tan Ma Lia So De Pe Fe",
        "ng n ngfu ngyi ngxi oyang nwu gzhao gtai ngsun rui ngli ngke nggu nghe",
    ),
    (  # Japanese in Hepburn
        "Hiro Ha Ka Yu Sa Nao Ma Ta Ke Aki Sho Mi Yo Tomo Ryo",
        "shi ruka zuko kiko kura miko sato kahiro nichi ra hei nami shiro mi suke",
        "Taka Yama Ishi Waka Suzu Naka Koba Matsu Kimu Haya Fuji Oga Mori Ino Kuro",
        "hashi moto kawa bayashi ki mura yashi shita ra da wara wa naga ue sawa",
    ),
    (  # Arabic, Persian, Urdu
        "Ah Mu Fa Kha Zai Yus Lay Om Has Sal Nou Tar Jam Ib Sha",
        "med hammad tima lid nab uf la ar san ma ra iq ila rahim hin",
        "Al-Ha Ben-Sa El-Ma Abdul Ra Has Far Mo Naz Kha Shir Tab Qur Siddi Ans",
        "kim lah sri rahman shidi sani hani radi eri lili azi rizi eshi qui ari",
    ),
    (  # Russian, Ukrainian, Bulgarian
        "Vla Dmi Svet Ole Yev Mi Kse Bog Ta Ser Lyud Gri Ana Ni Oks",
        "dimir triy lana ksandr geniya khail niya dan tyana gei mila goriy stasia kolai ana",
        "Iva Petro Kova Shev Mele Dro Kuz Pav Soko Voro Lyse Bon Zhu Che Tere",
        "nov vych lenko chenko khov zdov netsov lova lov nina nko darenko kov rnova shkova",
    ),
    (  # Polish, Czech, Croatian
        "Łu Ka Ja Zbi Sta Wło Bře Pe Vác Mag Agn Je Dra Ž Bog",
        "kasz tarzyna cek gniew nisław dzimierz tislav tra lav dalena ieszka rzy gana eljko usław",
        "Kowal Nowa Wiś Dą Wój Ko Svo Pro Ma Ho Jur Novo Per Štef Bie",
        "ski kowski niewski browski cik złowski boda cházka tić rák čević tný ković anović licki",
    ),
    (  # Yoruba, Igbo, Akan
        "Ade Olu Chi Ngo Ife Kwa Ama Babá Tem Uzo Obi Kof Yaa Ebe Sim",
        "bayo wole nedu zi oma me ra tunde itope amaka nna iman sewaa le isola",
        "Ade Oko Nwa Eze Ola Ogu Aki Men Osei Bad Ibe Chuk Dan Fal Owu",
        "yemi nkwo chukwu kiel dipo nbanjo ntola sah bonsu moe kwe wuma juma ana su",
    ),
    (  # Swedish, Norwegian, Danish, Icelandic
        "Bjö As Sø Ing Gu Mag Åk Sig Frey Tho Kir Lei He Ra Ol",
        "rn trid ren rid nnar nus e rún a rvald sten f nrik gnhild af",
        "Lind Berg Niel Øster Sjö Hå Kris Gun Eke Ström Åker Holm Dal Nor Hal",
        "qvist ström sen gaard berg kansson tjánsson narsdóttir lund man vik blad gren dahl vorsen",
    ),
    (  # English, Irish, Scottish
        "Mar Chris Jo Wil El Ai Sea Ka Al Ed Fi Gra Ha Reb Tho",
        "tin tina seph liam eanor sling mus therine exander mund ona ham rriet ecca mas",
        "O’Don Mac Whit Har Black Ash Wood Fitz Thorn Glad Brad Kel Mc Stan O’Su",
        "nell Kenzie aker rison more ford bury gerald ton stone shaw ley Allister hope llivan",
    ),
    (  # Turkish, Kazakh, Uzbek
        "Meh Ay Oğ Ema Ümi İs Zey Nur Bek Gül Ser Dil Çağ Şir Yıl",
        "met şe uz n t mail nep sultan zat nara dar fuza atay in dız",
        "Yıl Öz Kara Çe De Ak Tok Nur Er Şa Bay Ars Gü Tür Ko",
        "maz türk kaya lik mir soy ayev magambetov doğan hin ram lan neş koğlu çak",
    ),
    (  # Korean, Vietnamese, Indonesian
        "Min Ji Seo Hye Thu Anh Ngọc Bảo Quang Sit Bud Dew Wah Rat Suk",
        "jun woo yeon jin thảo linh hân châu huy i iono anti yudi na arno",
        "Kim Park Ngu Tr Ph Hoa Kusu Wi Suhar Pra Sant Hid Set Har Gun",
        "berg yễn ần ạm ng mo dodo to setyo oso ayat iawan tono awan hee",
    ),
)

_DOING = (
    "Adopt Move Replace Drop Keep Ship Postpone Split Merge Encrypt Rewrite Retire Cache Automate Outsource Hire "
    "Freeze Migrate Publish Standardise Sunset Rename Document Benchmark Archive Localise Simplify Deprecate"
).split()
_ABOUT = (
    "fast slow nightly weekly shared local remote cold warm hidden public private partial full early late double "
    "single open closed signed linked nested sparse dense rolling static dynamic incremental optimistic durable "
    "volatile encrypted compressed federated internal external regional global seasonal quarterly annual legacy "
    "modern lightweight heavyweight adaptive manual automatic scheduled delayed buffered streaming batched atomic "
    "idempotent portable native virtual physical visual acoustic thermal electric hydraulic solar coastal alpine"
).split()
_MATTER = (
    "storage search vector index token session ledger budget invoice payment parser compiler runtime scheduler "
    "cluster gateway proxy cache queue stream schema catalogue registry archive backup replica snapshot pipeline "
    "dashboard report survey contract licence audit policy consent identity password passkey certificate firewall "
    "network router sensor battery turbine engine chassis pump valve filter greenhouse orchard harvest irrigation "
    "recipe kitchen bakery bicycle tramway railway harbour ferry glacier river forest meadow telescope microscope "
    "laboratory library museum theatre orchestra choir festival marathon workshop newsletter podcast glossary"
).split()
_ASPECT = (
    "rotation recovery layout review migration latency throughput pricing planning training testing monitoring "
    "tracing sharding indexing ranking routing packaging signing hosting logging alerting deployment onboarding "
    "maintenance inspection calibration restoration translation accessibility observability governance"
).split()
_CODE_NAMES = (
    "Atlas Heron Juniper Meridian Falcon Osprey Larkspur Tundra Basalt Cobalt Saffron Indigo Zephyr Monsoon Aurora "
    "Borealis Cascade Delta Ember Fjord Garnet Harbinger Isthmus Jasper Kestrel Lagoon Magnolia Nimbus Obsidian "
    "Peregrine Quartz Rivulet Sequoia Talisman Umbra Verdant Willow Xenon Yarrow Zenith Anemone Bramble Cypress "
    "Driftwood Eider Foxglove Gannet Hawthorn Ironwood Jackdaw Kingfisher Lantern Marigold Nutmeg Oriole Pelican"
).split()
_OCCASIONS = (
    "Weekly sync|Retrospective|Planning meeting|Design review|Call with the supplier|Board minutes|Interview notes|"
    "Incident report|Customer visit|Lab notebook|Reading notes|Mail thread|Release notes|Working paper"
).split("|")
_PLACES = "Lisbon Chennai Osaka Oslo Nairobi Kraków Almaty Dublin Recife Hanoi Tashkent Lagos Porto Aarhus Lyon".split()
_TAGS = (
    "active|done|urgent|next-action|waiting|idea|archived|beta|internal|security|performance|hiring|travel|research|"
    "needs an owner|blocked by legal|on hold until spring|mentor|vegetarian|speaks Portuguese|prefers mail to calls"
).split("|")


@dataclass(frozen=True, slots=True)
class Samples:
    """What to ask a generated graph: names, and where there is one, the public id of what is meant."""

    exact: list[tuple[str, str]]
    alias: list[tuple[str, str]]
    mistyped: list[tuple[str, str]]
    absent: list[str]
    hubs: list[tuple[str, str]]


def cached(*, entities: int = ENTITIES, facts: int = FACTS, seed: int = SEED, embedded: bool = True) -> Path:
    """The file of this size and seed, generated where the cache lacks it. Copy it before writing to it.

    Args:
        embedded: whether names and facts have vectors; those of a million facts take hours.
    """
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for migration in package_files.migrations():
        digest.update(migration.read_bytes())
    name = f"graph-{entities}-{facts}-{seed}"
    plain = CACHE / f"{name}-{digest.hexdigest()[:12]}-plain.db"
    if not plain.exists():
        CACHE.mkdir(exist_ok=True)
        for outdated in CACHE.glob(f"{name}-*"):
            outdated.unlink()
        began = time.perf_counter()
        print(f"generating {entities:,} entities and {facts:,} facts …", end=" ", flush=True, file=sys.stderr)
        with_part = plain.with_suffix(f".{os.getpid()}.part")
        generate(with_part, entities=entities, facts=facts, seed=seed)
        with_part.rename(plain)
        print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)
    return _embedded(plain) if embedded else plain


def _embedded(plain: Path) -> Path:
    """A copy of a generated graph in which all has vectors."""
    path = plain.with_name(plain.name.replace("-plain", ""))
    if not path.exists():
        began = time.perf_counter()
        print("computing the vectors of names and facts …", end=" ", flush=True, file=sys.stderr)
        with_part = copy(plain, path.with_suffix(f".{os.getpid()}.part"))
        with keepgraph.open(with_part, clock=lambda: ENDED) as graph:
            vector_backfill.backfill(graph.database, seconds=None)
        with_part.rename(path)
        print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)
    return path


def copy(graph: Path, target: Path) -> Path:
    """A copy of a closed graph, to write to."""
    shutil.copyfile(graph, target)
    return target


def generate(path: Path, *, entities: int = ENTITIES, facts: int = FACTS, seed: int = SEED) -> None:
    """Fill a new file; the same arguments give the same names, facts, ids and times."""
    keepgraph.open(path, clock=lambda: BEGAN).close()
    conn = sqlite.connect(str(path), isolation_level=None)
    conn.execute("PRAGMA cache_size = -200000")
    conn.execute("PRAGMA synchronous = OFF")
    conn.execute("PRAGMA foreign_keys = ON")
    maker = _Maker(conn, random.Random(seed), entities, facts)
    conn.execute("BEGIN IMMEDIATE")
    conn.execute("INSERT INTO call (at, tool) VALUES (?, 'generate')", (timestamps.from_datetime(BEGAN),))
    _insert(
        conn,
        "INSERT INTO entity (id, public_id, group_id, type, name, name_key, name_folded, created_at) "
        "VALUES (?, ?, 'default', ?, ?, ?, ?, ?)",
        maker.entities(),
    )
    _insert(
        conn,
        "INSERT INTO alias (entity, alias, alias_key, alias_folded, created_at) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        maker.aliases(),
    )
    _insert(
        conn,
        "INSERT INTO fact (id, public_id, subject, predicate, object, literal, text, confidence, recorded_at, "
        "valid_from, valid_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        maker.facts(),
    )
    _insert(
        conn,
        "INSERT INTO provenance (fact, source, confidence, recorded_at, tool) VALUES (?, ?, ?, ?, 'generate')",
        maker.provenance(),
    )
    conn.execute("COMMIT")
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    conn.close()


def samples(path: Path, *, count: int = 200, seed: int = SEED) -> Samples:
    """Questions for a generated graph: `count` of each kind, and its ten entities with the most facts."""
    rng = random.Random(f"samples {seed}")
    conn = sqlite.connect(f"file:{path}?mode=ro", uri=True)
    every = conn.execute(
        "SELECT entity.id, public_id, entity.name, entity_type.name, name_key FROM entity "
        "JOIN entity_type ON entity_type.id = entity.type ORDER BY entity.id"
    ).fetchall()
    named = conn.execute(
        "SELECT alias, public_id, alias_key FROM alias JOIN entity ON entity.id = alias.entity ORDER BY alias.id"
    ).fetchall()
    hubs = conn.execute(
        "SELECT entity.name, entity.public_id FROM "
        "(SELECT subject AS end FROM fact UNION ALL SELECT object FROM fact WHERE object IS NOT NULL) "
        "JOIN entity ON entity.id = end GROUP BY end ORDER BY count(*) DESC, end LIMIT 10"
    ).fetchall()
    conn.close()
    names, bearers = {row[4] for row in every}, Counter(key for _, _, key in named)
    aliases = [(alias, entity) for alias, entity, key in named if bearers[key] == 1 and key not in names]
    keys = names | {normalisation.key(alias) for alias, _ in aliases}
    mistyped: list[tuple[str, str]] = []
    while len(mistyped) < count:
        row = rng.choice(every)
        asked = slip(row[2], rng)
        if asked and normalisation.key(asked) not in keys:
            mistyped.append((asked, row[1]))
    strangers = new_names(random.Random(f"strangers {seed}"))
    absent: list[str] = []
    while len(absent) < count:
        kind = rng.choice(["person", "person", "project", "decision", "concept"])
        name = next(strangers[kind])
        if rng.random() < 0.5:  # a word that nobody has, beside one that many have
            parts = name.split()
            parts[-1] = "".join(rng.choice(["zu", "vok", "thri", "quex", "ablo", "inde"]) for _ in range(3))
            name = " ".join(parts)
        if normalisation.key(name) not in keys:
            absent.append(name)
    return Samples(
        exact=[(row[2], row[1]) for row in rng.sample(every, count)],
        alias=rng.sample(aliases, min(count, len(aliases))),
        mistyped=mistyped,
        absent=absent,
        hubs=[tuple(row) for row in hubs],
    )


def slip(name: str, rng: random.Random) -> str | None:
    """A name with one slip of the keyboard in a word that has letters enough to bear it."""
    parts = name.split()
    long = [index for index, part in enumerate(parts) if len(part) >= 6 and part.isalpha()]
    if not long:
        return None
    index = rng.choice(long)
    word = parts[index]
    at = rng.randrange(1, len(word) - 1)
    kind = rng.choice(["swap", "swap", "leave out", "double", "wrong"])
    if kind == "swap":
        word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif kind == "leave out":
        word = word[:at] + word[at + 1 :]
    elif kind == "double":
        word = word[:at] + word[at] + word[at:]
    else:
        word = word[:at] + rng.choice("aeiostnr") + word[at + 1 :]
    return " ".join([*parts[:index], word, *parts[index + 1 :]])


class _Maker:
    """Makes the rows of one graph, table by table; remembers what the later tables need of the earlier ones."""

    def __init__(self, conn: Any, rng: random.Random, entities: int, facts: int) -> None:
        self.rng = rng
        self.entity_count = entities
        self.fact_count = facts
        self.types = dict(conn.execute("SELECT name, id FROM entity_type").fetchall())
        self.predicates = dict(conn.execute("SELECT name, id FROM predicate").fetchall())
        self.names: list[str] = [""]  # by row number, which begins at 1
        self.type_of: list[str] = [""]
        self.rows: dict[str, list[int]] = {kind: [] for kind in _SHARE_OF_ENTITIES}
        self.recorded: list[tuple[str, float, int]] = []

    def entities(self) -> Iterator[tuple[Any, ...]]:
        fresh = new_names(self.rng)
        kinds, weights = list(_SHARE_OF_ENTITIES), list(_SHARE_OF_ENTITIES.values())
        for row in range(1, self.entity_count + 1):
            # One of each kind comes first, so that the smallest graph has them all.
            kind = kinds[row - 1] if row <= len(kinds) else self.rng.choices(kinds, weights)[0]
            name = next(fresh[kind])
            at = self._moment(row / self.entity_count)
            self.names.append(name)
            self.type_of.append(kind)
            self.rows[kind].append(row)
            public_id = self._id("ent", at)
            yield (
                row,
                public_id,
                self.types[kind],
                name,
                normalisation.key(name),
                normalisation.Name(name).folded,
                timestamps.from_datetime(at),
            )

    def aliases(self) -> Iterator[tuple[Any, ...]]:
        at = timestamps.from_datetime(ENDED)
        for row in range(1, self.entity_count + 1):
            if self.rng.random() >= _ALIASED:
                continue
            alias = self._alias(row)
            if normalisation.key(alias) != normalisation.key(self.names[row]):
                yield row, alias, normalisation.key(alias), normalisation.Name(alias).folded, at

    def facts(self) -> Iterator[tuple[Any, ...]]:
        shares = [kind[3] for kind in _KINDS_OF_FACT]
        made: set[tuple[int, int, int | str]] = set()
        while len(made) < self.fact_count:
            progress = (len(made) + 1) / self.fact_count
            subject_type, predicate, object_type, _ = self.rng.choices(_KINDS_OF_FACT, shares)[0]
            subject = self._one_of(subject_type, progress, predicate)
            target: int | str
            if object_type is None:
                target = self.rng.choice(_TAGS) if self.rng.random() < 0.9 else f"note {self.rng.randrange(10**6)}"
            else:
                target = self._one_of(object_type, progress, predicate)
            triple = (subject, self.predicates[predicate], target)
            if target == subject or triple in made:
                continue
            made.add(triple)
            at = self._moment(progress)
            stamp = timestamps.from_datetime(at)
            start, end = self._validity(at)
            said = target if isinstance(target, str) else self.names[target]
            confidence = self.rng.choice((1.0, 1.0, 1.0, 0.9, 0.8))
            self.recorded.append((stamp, confidence, subject))
            yield (
                len(made),
                self._id("fact", at),
                subject,
                self.predicates[predicate],
                None if object_type is None else target,
                target if object_type is None else None,
                f"{self.names[subject]} {predicate.replace('_', ' ')} {said}",
                confidence,
                stamp,
                start,
                end,
            )

    def provenance(self) -> Iterator[tuple[Any, ...]]:
        for fact, (stamp, confidence, _) in enumerate(self.recorded, start=1):
            source = f"https://notes.example/{self.rng.randrange(50_000)}" if self.rng.random() < 0.6 else None
            yield fact, source, confidence, stamp

    def _one_of(self, kind: str, progress: float, predicate: str) -> int:
        """An entity of a kind: a few have very many facts; a decision has its facts when it is made."""
        rows = self.rows[kind]
        known = max(1, bisect.bisect_right(rows, int(progress * self.entity_count)))
        if kind == "decision" and predicate in ("decided_in", "belongs_to"):
            return rows[max(0, known - 1 - int(self.rng.expovariate(0.2)))]
        return rows[int(known * self.rng.random() ** 2.2)]

    def _alias(self, row: int) -> str:
        name, kind = self.names[row], self.type_of[row]
        parts = name.split()
        if kind == "person" and len(parts) > 1:
            return self.rng.choice((f"{parts[0][0]}. {parts[-1]}", f"{parts[-1]}, {parts[0]}", f"{parts[0]} {row}"))
        if len(parts) > 2:
            return "".join(part[0] for part in parts).upper() + f"-{row % 1000}"
        return f"the {name} {self.rng.choice(('effort', 'matter', 'file'))}"

    def _validity(self, at: datetime) -> tuple[str, str]:
        if self.rng.random() >= _BOUNDED:
            return "", "~"
        start = at - timedelta(days=self.rng.randrange(400))
        end = (
            timestamps.from_datetime(start + timedelta(days=self.rng.randrange(30, 1200)))
            if self.rng.random() < 0.6
            else "~"
        )
        return timestamps.from_datetime(start), end

    def _moment(self, progress: float) -> datetime:
        return BEGAN + (ENDED - BEGAN) * progress

    def _id(self, prefix: str, at: datetime) -> str:
        value = (int(at.timestamp() * 1000) << 80) | self.rng.getrandbits(79)
        return f"{prefix}_{store.ids._base32(value)}"


def new_names(rng: random.Random) -> dict[str, Iterator[str]]:
    """New names without end, of each kind of entity; no two of a kind have the same key."""
    return {
        "person": _unlike(_people(rng)),
        "project": _unlike(_projects(rng)),
        "decision": _unlike(_decisions(rng)),
        "concept": _unlike(_concepts(rng)),
        "source": _unlike(_sources(rng)),
    }


def _unlike(fresh: Iterator[str]) -> Iterator[str]:
    taken = set()
    for name in fresh:
        if (key := normalisation.key(name)) not in taken:
            taken.add(key)
            yield name


def _people(rng: random.Random) -> Iterator[str]:
    peoples = [[part.split() for part in people] for people in _PEOPLES]
    while True:
        firsts, ends, lasts, last_ends = rng.choice(peoples)
        # Some first names are common, most are not.
        first = firsts[int(len(firsts) * rng.random() ** 1.5)] + ends[int(len(ends) * rng.random() ** 1.5)]
        last = rng.choice(lasts) + rng.choice(last_ends)
        shape = rng.random()
        if shape < 0.04:
            yield first
        elif shape < 0.12:
            yield f"{first} {rng.choice(firsts)}{rng.choice(ends)} {last}"
        elif shape < 0.35:
            yield f"{first} {last} {rng.choice(lasts)}{rng.choice(last_ends)}"
        else:
            yield f"{first} {last}"


def _projects(rng: random.Random) -> Iterator[str]:
    yield from _CODE_NAMES
    while True:
        name = rng.choice(_CODE_NAMES)
        yield rng.choice(
            (
                f"{name} {rng.choice(_MATTER)}",
                f"{rng.choice(_ABOUT).capitalize()} {name}",
                f"{name} {rng.choice(_PLACES)} {rng.randrange(2019, 2028)}",
                f"{name} {rng.choice(_MATTER)} {rng.choice(_ASPECT)}",
            )
        )


def _decisions(rng: random.Random) -> Iterator[str]:
    while True:
        what = f"{rng.choice(_ABOUT)} {rng.choice(_MATTER)}"
        yield rng.choice(
            (
                f"{rng.choice(_DOING)} the {what}",
                f"{rng.choice(_DOING)} {what} {rng.choice(_ASPECT)} for {rng.choice(_CODE_NAMES)}",
                f"{rng.choice(_DOING)} {what} before Q{rng.randrange(1, 5)} {rng.randrange(2023, 2028)}",
                f"{rng.choice(_DOING)} {rng.choice(_MATTER)} {rng.choice(_ASPECT)} in {rng.choice(_PLACES)}",
            )
        )


def _concepts(rng: random.Random) -> Iterator[str]:
    while True:
        matter = rng.choice(_MATTER)
        yield rng.choice(
            (
                f"{rng.choice(_ABOUT)} {matter}",
                f"{matter} {rng.choice(_ASPECT)}",
                f"{rng.choice(_ABOUT)} {matter} {rng.choice(_ASPECT)}",
                f"{rng.choice(_ABOUT)} {rng.choice(_MATTER)} {matter} {rng.choice(_ASPECT)}",
                f"{matter}{rng.randrange(2, 9)}.{rng.randrange(20)}",
            )
        )


def _sources(rng: random.Random) -> Iterator[str]:
    while True:
        day = BEGAN + timedelta(days=rng.randrange(1096))
        yield rng.choice(
            (
                f"{rng.choice(_OCCASIONS)} {day:%Y-%m-%d}",
                f"{rng.choice(_OCCASIONS)} in {rng.choice(_PLACES)}, {day:%d %B %Y}",
                f"https://example.org/{rng.choice(_MATTER)}/{rng.choice(_ASPECT)}/{rng.randrange(10_000)}",
                f"notes/{day:%Y}/{rng.choice(_MATTER)}-{rng.randrange(1000)}.md",
            )
        )


def _insert(conn: Any, statement: str, rows: Iterator[tuple[Any, ...]]) -> None:
    batch: list[tuple[Any, ...]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            conn.executemany(statement, batch)
            batch.clear()
    conn.executemany(statement, batch)


def main() -> None:
    parser = argparse.ArgumentParser(description="Generate a Keepgraph file.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--entities", type=int, default=ENTITIES)
    parser.add_argument("--facts", type=int, default=FACTS)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    if given.file.exists():
        parser.error(f"{given.file} exists; generate into a new file")
    generate(given.file, entities=given.entities, facts=given.facts, seed=given.seed)


if __name__ == "__main__":
    main()

"""What people habitually call things instead of their name: nicknames, other spellings, abbreviations.

The tables are ours; English nicknames that are not in them come from the package `nicknames`. All words are folded.
"""

from __future__ import annotations

from functools import cache
from typing import Any

# A given name first, then what it is called for short. A short form may stand for several names.
_SHORT = """
    abigail abby gail; abraham abe; adam addie; agnieszka aga agnes agniesia; albert al bert bertie; alejandro alex
    ale jandro; aleksander alex olek sasha; alexander alex al xander sandy sasha sascha lex alec; alexandra alex
    sasha sascha lexi allie alexa; alessandro ale sandro; alfred al alf fred alfie; alice ali; amanda mandy;
    anastasia nastya stasia ana; anatoly tolya; andrew andy drew; andrzej jedrek; angela angie; anna annie anya
    ania asia nan; anneliese anne liese anni lisl; annemarie anne annie; anthony tony ant; anton toni tony tosha;
    antonio toni tony tonio; arthur art artie; augustus gus; barbara barb babs basia; bartholomew bart; beatrice bea
    trixie; benedict ben; benjamin ben benny benji; bernard bernie; bogdan bodya; boris borya; brandon bran; bridget
    biddy; burton burt; cameron cam; carlos charlie; carolyn carol carrie; caroline carol carrie caro; cassandra
    cass cassie; catherine cathy cath kate katie kit kitty cat; cecilia cece celia; charles charlie chuck
    chas; charlotte charlie lottie char; christian chris; christina chris chrissy tina; christine chris chrissy
    tina; christopher chris kit topher; clifford cliff; consuelo chelo; cornelius neil; cynthia cindy; daniel dan
    danny; daniela dani; david dave davy; deborah deb debbie; dennis denny; dmitry dima mitya; dmitriy dima mitya;
    dolores lola; dominic dom nick; donald don donnie; dorothy dot dottie dolly; douglas doug; edmund ed eddie;
    eduardo edu lalo; edward ed eddie ted teddy ned; edwin ed eddie; ekaterina katya; eleanor ellie nell nora; elena
    lena lenochka; elisabeth lisa liz beth betty sissi lisbeth; elizabeth liz lizzie beth betty betsy eliza libby
    lisa elsie; emily em emmy; emma em; enrique quique kike; eric rick; ernest ernie; esther essie; eugene gene
    zhenya; evgeny zhenya; evgeniy zhenya; ewa ewka; ezekiel zeke; federico fede; ferdinand ferdi nando; fernando
    nando; florence flo; frances fran francie frankie; francesca fran franca; francesco franco cesco checco; francis
    frank; francisco paco pancho paquito fran kiko curro; franklin frank; frederick fred freddie rick; friedrich
    fritz fred; gabriel gabe; gabriela gaby; galina galya; geoffrey geoff jeff; george georgie; georg schorsch jorg;
    gerald gerry jerry; gerard gerry; gertrude gertie trudy; gilbert gil; giovanni gianni nanni; giuseppe beppe
    peppe pino peppino; giulia giuli; grace gracie; gregory greg; grigory grisha; grzegorz grzes; guadalupe lupe;
    guillermo memo guille; gustavo gus; guillaume gui; hannah hanna nan; harold harry hal; harriet hattie; helen
    nell nellie; helena lena hela; henrietta hettie; henry hank harry hal; herbert herb bert; hermann harry; horace
    horry; howard howie; hugo hugh; ian; ignacio nacho; igor igoryok; ilya ilyusha; immanuel manny; irene rene;
    irina ira irisha; isaac ike; isabel bella isa belle izzy; isabella bella izzy; ivan vanya; jacob jake coby;
    jacqueline jackie; jakub kuba; james jim jimmy jamie; jan janek; jane janie jenny; janet jan; javier javi;
    jeffrey jeff; jennifer jen jenny jenn; jeremiah jerry; jeremy jerry jez; jerome jerry; jessica jess jessie;
    jesus chuy; jerzy jurek; joachim jochen achim; joan joanie; joanna jo asia; johann hans hannes; johannes hans
    hannes johan; john jack johnny jon; jonathan jon jonny; jorge coque; jose pepe pepito chepe; josef sepp
    beppo pepi; joseph joe joey jo; josephine jo josie; joshua josh; juan juanito; judith judy jude; julia jules
   ; juliet jules; julian jules; jurgen jogi; karl kalle; katarzyna kasia; katharina kathi kati; katherine
    kate katie kathy kat kit kitty kay; kathleen kathy kate kath; kathryn kate kathy kat; kenneth ken kenny;
    kimberly kim; konrad conny; konstantin kostya; krzysztof krzys; kristina kris tina; larissa lara; laurence larry
    laurie; lawrence larry laurie; leonard leo len lenny; leonardo leo; leonid lyonya; leopold leo poldi; leslie
    les; lev lyova; lillian lil lilly; linda lin; lorenzo enzo; louis lou louie; louise lou; lucille lucy; lucas
    luke; ludmila luda mila; ludwig wiggerl luggi; luis lucho; luisa lu; lukasz luk; lydia lyda; magdalena lena
    magda; malgorzata gosia malgosia; manuel manolo manu manny; marcus; margaret maggie meg peggy marge
    margie greta madge; margarita rita margo; maria mari mia masha mitzi; mariya masha;
    maricarmen mari; marilyn; marjorie marge; martha marty mattie; martin marty; mary molly polly mae; mateusz
    mati; matilda tilly mattie; matthew matt matty; matthias matze hias; maurice moe; maximilian max maxi; maxwell
    max; maxim max; megan meg; melanie mel; melissa mel missy lissa; mercedes meche; michael mike mick mickey micky
    mitch; michal; michelle shelly mitch; miguel mike migue; mikhail misha; mildred millie; miriam mimi; mitchell
    mitch; mohammed mo; muhammad mo; montgomery monty; moses moe; nadezhda nadya; nancy nan; natalia natasha nat
    talia natalka; natalya natasha; natalie nat; nathan nate; nathaniel nate nat; nicholas nick nicky klaus; nicole
    nicky nikki; nikita nik; nikolai kolya nick; nikolaus klaus niko; norman norm; oleksandr sasha; oliver ollie;
    olga olya; oscar ozzie; oswald ozzy oz; pamela pam; patricia pat patty tricia trish; patrick pat paddy rick;
    paul paulie; pavel pasha; pawel pawelek; peter pete petey; petra petie; petros petrakis; philip phil pip;
    phillip phil pip; phyllis phyl; prudence prue; pyotr petya; rachel rae; ralph ralphie; raymond ray; rebecca
    becky becca; reginald reg reggie; ricardo rick ricky richie; richard rick dick rich richie ricky; robert bob rob
    bobby robbie bert; roberto beto; roberta bobbie; roderick rod; rodney rod; roger rodge; roland rollo;
    roman roma; ronald ron ronnie; rosemary rosie rose; rosario charo; rupert roo; russell russ; salvador chava;
    salvatore toto sal; samantha sam sammy; samuel sam sammy; sandra sandy; santiago santi; sarah sally sadie;
    sebastian seb bastian basti; sergei seryozha; sergey seryozha serge; sergio checo; sheila; shirley shirl; sidney
    sid; simon si; solomon sol; sophia sophie sonya; stanislaw staszek stan; stanley stan; stephanie steph steffi;
    stephen steve stevie; stefan steff; steven steve stevie; susan sue susie suzy; susannah sue susie; svetlana
    sveta lana; sylvester sly; tamara tamar toma; tatiana tanya; tatyana tanya; terence terry; teresa terry tess
    tere; theodora dora; theodore ted theo teddy; theresa terry tess; thomas tom tommy thom; tiffany tiff; timothy
    tim timmy; tobias tobi toby; tomasz tomek; ulrich uli; ursula uschi ulla; valentin val; valentina valya; valerie
    val; venkatesh venky venkat; vera verochka; veronica ronnie vero; victor vic; victoria vicky tori vic; vincent
    vince vinny; vincenzo enzo; viktor vitya; virginia ginny ginger; vladimir vova volodya vlad; vladislav vlad;
    walter walt wally; wilhelm willi willy helm; wilhelmina mina minnie wilma; william bill will billy willie liam;
    winifred winnie; winston win; wojciech wojtek; wolfgang wolf wolfi; xavier xavi; yevgeny zhenya; yuri yura;
    zachary zach zack; zbigniew zbyszek; zofia zosia; zoe zo
"""

# Spellings of one given name; any of them may be meant by any other.
_SPELLINGS = """
    muhammad mohammed mohamed mohammad muhammed mohamad muhamed; youssef yusuf yousef yousuf yusef joussef jusuf;
    ahmed ahmad achmed; hussein hussain husain husayn hossein; hassan hasan; omar umar; khalid khaled chalid halid;
    said saeed saied sayed; abdullah abdallah abdulla; ibrahim ebrahim; ismail ismael; mustafa mostafa moustafa;
    fatima fatma fatimah; leila layla laila leyla lejla; aisha ayesha aysha aicha; nour noor nur; karim kareem;
    rashid rasheed; jamal gamal djamal; samir sameer; tariq tarek tarik; zaynab zainab zeinab; maryam mariam miriam;
    aleksandr alexander alexandr aleksander oleksandr; aleksandra alexandra oleksandra; aleksei alexei
    alexey aleksey alexej; sergei sergey serge sergej serhii; dmitry dmitri dmitriy dmitrii dimitri; yuri yury yuriy
    juri iurii yurii; evgeny yevgeny evgeniy evgenii yevgeniy eugeny; nikolai nikolay nicolai nikolaj; mikhail
    michail mihail; ekaterina yekaterina; elena yelena jelena; yulia julia yuliya iuliia julija; tatiana tatyana
    tatjana; natalia natalya nataliya; anastasia anastasiya; ksenia xenia kseniya ksenija; pyotr petr piotr; fyodor
    fedor fjodor feodor; andrei andrey andrej andriy; vasily vasiliy vasilii wassily; georgy georgi georgiy; anatoly
    anatoliy anatolij; lyudmila ludmila; maria mariya marija; oksana oxana; catherine katherine kathryn katharine
    catharine cathryn kathrin; sara sarah; steven stephen; stefan stephan; philip phillip filip philipp; jeffrey
    geoffrey jeffery; eric erik erich; frederick frederic fredrick frederik; mark marc; karl carl; nicholas nicolas
    nikolas niklas; theodore theodor teodor; christopher kristopher christoffer; christine kristine; christina
    kristina cristina; elizabeth elisabeth elizabet; isabel isabelle isobel izabel; teresa theresa therese; susan
    suzan; rachel rachael; rebecca rebekah; deborah debra; sofia sophia; sophie sofie; thomas tomas; joseph josef
    jozef; jacob jakob; lucas lukas; matthew mathew; matthias mathias; michael mikael; gabriel gavriel; katarina
    katharina catarina; hannah hanna; alan allan; brian bryan; stuart stewart; neil neal; sean shawn shaun; geoff
    jeff; vikram bikram; krishna krisna; lakshmi laxmi; srinivas shrinivas sreenivas; deepak dipak; neeraj niraj;
    sandeep sandip; sunil suneel; jihoon jihun; minjun minjoon; seoyeon suyeon; ichiro ichirou; jiro jirou; taro
    tarou; xu hsu; guo kuo; xie hsieh; cai tsai; bak park pak; gim kim; choe choi; jeong jung
"""

# Places by their name in their own language, and in English.
_ELSEWHERE = """
    munchen=munich; muenchen=munich; koln=cologne; koeln=cologne; wien=vienna; praha=prague; roma=rome;
    milano=milan; napoli=naples; firenze=florence; venezia=venice; torino=turin; genova=genoa; lisboa=lisbon;
    moskva=moscow; warszawa=warsaw; krakow=cracow; geneve=geneva; genf=geneva; zuerich=zurich; kyiv=kiev;
    beograd=belgrade; bucuresti=bucharest; kobenhavn=copenhagen; goteborg=gothenburg; bruxelles=brussels;
    brussel=brussels; antwerpen=antwerp; den haag=the hague; sevilla=seville; athina=athens; nurnberg=nuremberg;
    nuernberg=nuremberg; hannover=hanover; braunschweig=brunswick; luzern=lucerne; bayern=bavaria;
    deutschland=germany; osterreich=austria; oesterreich=austria; schweiz=switzerland; suisse=switzerland;
    espana=spain; italia=italy; nederland=netherlands; holland=netherlands; polska=poland; sverige=sweden;
    norge=norway; danmark=denmark; suomi=finland; turkiye=turkey; nippon=japan; beijing=peking; mumbai=bombay;
    kolkata=calcutta; chennai=madras; bengaluru=bangalore; ciudad de mexico=mexico city; big apple=new york city;
    big apple=new york
"""

# What a thing is called for short, and its name. Where the name has several words, they are read together.
_ABBREVIATIONS = """
    pg=postgresql; pg=postgres; psql=postgresql; postgres=postgresql; k8s=kubernetes; kube=kubernetes;
    js=javascript; ts=typescript; py=python; rb=ruby; tf=terraform; tf=tensorflow; mongo=mongodb; es=elasticsearch;
    elastic=elasticsearch; gh=github; gl=gitlab; gcp=google cloud platform; gcp=google cloud; aws=amazon web
    services; az=azure; vs code=visual studio code; vscode=visual studio code; np=numpy; pd=pandas; gql=graphql;
    cpp=c++; c plus plus=c++; cplusplus=c++; csharp=c#; c sharp=c#; fsharp=f#; f sharp=f#; golang=go; nodejs=node
    js; node=node js; rpi=raspberry pi; wp=wordpress; ml=machine learning; ai=artificial intelligence; nlp=natural
    language processing; cv=computer vision; db=database; dbs=databases; auth=authentication; 2fa=two factor
    authentication; 2fa=2 factor authentication; mfa=multi factor authentication; i18n=internationalization;
    l10n=localization; a11y=accessibility; o11y=observability; ci=continuous integration; cd=continuous delivery;
    cd=continuous deployment; ui=user interface; ux=user experience; qa=quality assurance; hr=human resources;
    pr=pull request; prs=pull requests; kpi=key performance indicator; rfc=request for comments; eod=end of day;
    nyc=new york city; nyc=new york; sf=san francisco; la=los angeles; uk=united kingdom; usa=united states;
    usa=united states of america; us=united states; eu=european union; un=united nations; uae=united arab emirates;
    dc=washington dc; hk=hong kong; sg=singapore; bcn=barcelona; ams=amsterdam; zrh=zurich; phd=doctorate;
    docs=documentation; repo=repository; repos=repositories; env=environment; config=configuration; dev=development;
    ops=operations; infra=infrastructure; perf=performance; app=application; apps=applications; mgmt=management;
    mgmnt=management; dept=department; govt=government; gov=government; univ=university; uni=university;
    intl=international; natl=national; inst=institute; lab=laboratory; labs=laboratories; hosp=hospital;
    assoc=association; corp=corporation; tech=technology; tech=technical; info=information; admin=administration;
    comms=communications; specs=specification; spec=specification; reqs=requirements; eng=engineering; mtg=meeting;
    agmt=agreement; st=street; ave=avenue; rd=road; mt=mount; ft=fort; sync=synchronization; stats=statistics;
    photo=photograph; pic=picture; vid=video; exam=examination; math=mathematics; maths=mathematics; bio=biology;
    chem=chemistry; econ=economics; psych=psychology; neuro=neurology; cardio=cardiology; derm=dermatology;
    onc=oncology; ortho=orthopedics; peds=pediatrics; ob gyn=obstetrics and gynecology; icu=intensive care unit;
    er=emergency room; ed=emergency department; or=operating room; mri=magnetic resonance imaging; ct=computed
    tomography; ekg=electrocardiogram; ecg=electrocardiogram; bp=blood pressure; rx=prescription; vfx=visual
    effects; sfx=special effects; dop=director of photography; dp=director of photography; ad=assistant director;
    bts=behind the scenes; who=world health organization; wto=world trade organization; crm=customer relationship
    management; nasa=national aeronautics and space administration; imf=international monetary fund; nhs=national
    health service; api=application programming interface
"""


_WORDS_TOO = frozenset("or us er un la ad ed it is me so no go st mt ft rd es ct az la an as at by who".split())
_KNOWN_LETTERS = frozenset(
    "ai ml ui ux qa hr uk us eu un la sf db ci it ok tv pc am pm id hq pr vp ceo cto cfo coo faq diy eta fyi asap "
    "tba tbd aka etc ie eg ps mr ms dr jr sr ad bc dj mc dna rna gps usb led lcd pdf url api sdk ide sql css html "
    "xml json http https ssh vpn dns ip tcp udp ftp who cv gym".split()
)

SKIPPED_BY_ACRONYMS = frozenset("a an and at by de der des for in la of on or the to und von with y".split())
"""Small words whose letter an acronym may leave out; the trigger on names (name_to_initial) skips the same."""


@cache
def nicknames(name: str) -> frozenset[str]:
    """Short forms of a given name; of a short form, the names it may stand for."""
    short, full = _short_forms()
    found = {other for each in {name} | spellings(name) for other in short.get(each, set()) | full.get(each, set())}
    found |= {other for each in found for other in spellings(each)}
    return (frozenset(found) | _english(name)) - {name}


@cache
def spellings(name: str) -> frozenset[str]:
    """Other spellings of a given name."""
    return frozenset(other for group in _groups() if name in group for other in group) - {name}


def is_short_for(short: str, name: str) -> bool:
    """Whether a word is a short form of a name, and not the other way round."""
    ours, theirs = ({each} | spellings(each) for each in (short, name))
    full = _short_forms()[1]
    if any(full.get(each, set()) & ours for each in theirs):
        return False
    if any(full.get(each, set()) & theirs for each in ours):
        return True
    return len(short) < len(name)


def is_given_name(word: str) -> bool:
    """Whether a word is known as a given name, or a short form or a spelling of one."""
    short, full = _short_forms()
    return word in short or word in full or any(word in group for group in _groups()) or bool(_english(word))


def is_a_word_too(letters: str) -> bool:
    """Whether small letters that are an abbreviation are a word as well, and rather that."""
    return letters in _WORDS_TOO


def means_something_else(letters: str) -> bool:
    """Whether letters are so well known for something, or as a word, that they are nobody's initials."""
    return letters in _KNOWN_LETTERS or letters in _WORDS_TOO


@cache
def spelled_out(short: str) -> tuple[str, ...]:
    """What an abbreviation may stand for."""
    return tuple(full for abbreviation, full in _pairs() if abbreviation == short)


@cache
def abbreviated(full: str) -> tuple[str, ...]:
    """The abbreviations of a name or a word."""
    return tuple(abbreviation for abbreviation, name in _pairs() if name == full)


@cache
def elsewhere(place: str) -> tuple[str, ...]:
    """What a place is called in English, or in its own language."""
    pairs = _read_pairs(_ELSEWHERE)
    return tuple(other for one, two in pairs for name, other in ((one, two), (two, one)) if name == place)


@cache
def _short_forms() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    short: dict[str, set[str]] = {}
    full: dict[str, set[str]] = {}
    for line in _SHORT.split(";"):
        name, *others = line.split()
        short.setdefault(name, set()).update(others)
        for other in others:
            full.setdefault(other, set()).add(name)
    return short, full


@cache
def _groups() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(group.split()) for group in _SPELLINGS.split(";"))


@cache
def _pairs() -> tuple[tuple[str, str], ...]:
    return _read_pairs(_ABBREVIATIONS)


def _read_pairs(table: str) -> tuple[tuple[str, str], ...]:
    pairs = (entry.partition("=") for entry in " ".join(table.split()).split(";"))
    return tuple((one.strip(), two.strip()) for one, _, two in pairs)


@cache
def _english(name: str) -> frozenset[str]:
    """What the package knows, where one form is the beginning of the other: its other pairs are too bold."""
    known = _namer()
    if known is None or len(name) < 3:
        return frozenset()
    pairs = known.nicknames_of(name) | known.canonicals_of(name)
    ours = _short_forms()[0]
    return frozenset(
        other
        for other in pairs
        if abs(len(other) - len(name)) > 1 and _begins_alike(name, other) and not (other in ours and name in ours)
    )


def _begins_alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    stem = short.rstrip("iey") if len(short) > 3 else short
    stem = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return len(stem) >= 2 and long.startswith(stem)


@cache
def _namer() -> Any | None:
    try:
        from nicknames import NickNamer
    except ImportError:
        return None
    return NickNamer()

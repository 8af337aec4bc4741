"""Export, import, and conversion of records of other programs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.exchange import (
        conversion,
        export,
        export_format,
        file_survey,
        import_assertions,
        import_entities,
        import_episodes,
        import_facts,
        import_state,
        import_values,
        importer,
        term_mapping,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)

"""Export, import, and conversion of records of other programs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.exchange import (
        conversion,
        current_graph,
        export,
        import_episodes,
        import_records,
        import_state,
        import_vocabulary,
        importer,
        okf_bundles,
        rdf_export,
        rdf_import,
        rdf_individuals,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)

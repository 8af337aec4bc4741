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
        import_owners,
        import_proposed_facts,
        import_review_decisions,
        import_state,
        import_values,
        import_vocabulary,
        import_waiting_lines,
        importer,
        rdf_description,
        rdf_export,
        rdf_import,
        rdf_individuals,
        rdf_word_names,
        shacl_export,
        term_mapping,
        vocabulary_lines,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)

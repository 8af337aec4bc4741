"""The cross-encoder: it is used where there is one, and never downloaded."""

from __future__ import annotations

import pytest

from keepgraph import errors
from keepgraph.ml import cross_encoders


def test_without_a_folder_the_error_says_what_to_do():
    with pytest.raises(errors.ModelUnavailable) as error:
        cross_encoders.score("Who leads?", ["Ada leads."], folder=None)

    assert "cross_encoder =" in (error.value.hint or "")


def test_a_folder_without_a_model_is_refused(tmp_path):
    assert "no model" in (cross_encoders.unavailable_reason(str(tmp_path)) or "")

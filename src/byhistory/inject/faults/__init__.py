"""What could go wrong with a column?"""

from byhistory.inject.base import Fault
from byhistory.inject.faults import (
    casing_change,
    character_deletion,
    character_insertion,
    character_perturbation,
    date_shift,
    distribution_change,
    increased_nulls,
    padding,
    schema_change,
    unit_change,
    volume_change,
)

ALL: tuple[Fault, ...] = (
    *schema_change.FAULTS,
    *unit_change.FAULTS,
    *casing_change.FAULTS,
    *increased_nulls.FAULTS,
    *volume_change.FAULTS,
    *distribution_change.FAULTS,
    *character_perturbation.FAULTS,
    *character_insertion.FAULTS,
    *character_deletion.FAULTS,
    *padding.FAULTS,
    *date_shift.FAULTS,
)

__all__ = ["ALL"]

"""One-class SVM: is a run outside of a smooth border around the past?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

# Tried, not each with each: nu .01, .1, .5 × gamma "scale", 1, .1, .01 over the number of metrics × clip 10, 20. With
# the usual gamma the kernel is 0 at a few deviations, and all that is far is equally far.
OUTSIDE, WIDTH, CLIP = 0.1, 0.01, 10.0


def beyond(history: Floats, now: Floats) -> Floats:
    """Distance from the border, in the space of the kernel; inside it is negative."""
    from sklearn.svm import OneClassSVM

    model = OneClassSVM(nu=OUTSIDE, gamma=WIDTH / history.shape[1]).fit(history)
    return np.asarray(-model.decision_function(now))


METHOD = Method("one_class_svm", "One-class SVM", "anomaly detection", on_features(beyond, CLIP), package="sklearn")

"""The compared methods, one a file."""

from bench.methods import (
    always,
    avg_knn,
    azure_anomaly_detector,
    azure_ml_drift,
    calibrated,
    chi_squared,
    cof,
    deequ,
    denial_constraints,
    ecod,
    fd_upper_bound,
    health_esn,
    isolation_forest,
    k_means_ad,
    ks,
    lof,
    lstm_ad,
    mad,
    miautawn,
    never,
    one_class_svm,
    order_dependency,
    paper,
    peeks,
    random_score,
    sequential_dependency,
    telemanom,
    tfdv,
)
from bench.methods.base import Method

ALL: tuple[Method, ...] = (
    calibrated.METHOD,
    paper.METHOD,
    tfdv.METHOD,
    deequ.METHOD,
    azure_anomaly_detector.METHOD,
    azure_ml_drift.METHOD,
    lstm_ad.METHOD,
    telemanom.METHOD,
    health_esn.METHOD,
    cof.METHOD,
    one_class_svm.METHOD,
    isolation_forest.METHOD,
    lof.METHOD,
    k_means_ad.METHOD,
    ecod.METHOD,
    avg_knn.METHOD,
    ks.METHOD,
    chi_squared.METHOD,
    mad.METHOD,
    miautawn.METHOD,
    fd_upper_bound.METHOD,
    order_dependency.METHOD,
    sequential_dependency.METHOD,
    denial_constraints.METHOD,
)
"""In the order of the paper's list."""

BROKEN: tuple[Method, ...] = (
    always.METHOD,
    never.METHOD,
    random_score.METHOD,
    peeks.METHOD,
)
"""Those that show where a bad method lands: for the tests of the scorer, and never among the results."""

"""Predicted against actual: one outside its band and explained, one that the engine never said."""

from app.core.actuals.compare import Comparison
from app.core.actuals.verdict import Verdict
from app.core.texts import Text
from app.core.units import GIB

ROW = Comparison(
    quantity="weights_bytes_per_gpu",
    unit="bytes",
    predicted=14.0 * GIB,
    low=13.9 * GIB,
    high=14.1 * GIB,
    actual=15.4 * GIB,
    verdict=Verdict.OUTSIDE,
    corrected=True,
    why=Text(en="A copy for another kernel.", zh_CN="副本"),
)
SILENT = Comparison(
    quantity="kv_tokens",
    unit="tokens",
    predicted=2000.0,
    low=None,
    high=None,
    actual=None,
    verdict=Verdict.NOT_SAID,
    corrected=False,
)

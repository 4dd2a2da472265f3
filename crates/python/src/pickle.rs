//! Pickles of results, as `python/fanorona/_pickle.py` makes them.

use pyo3::PyClass;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::analyze::{Analysis, CertificateReport, SearchProgress};
use crate::blocks::Block;
use crate::book::BookAnswer;
use crate::build::Progress;
use crate::engine::PlayResult;
use crate::perft::{Mismatch, SuiteReport};
use crate::probes::{Probes, Ranks};
use crate::value::{Assessed, Assessment, RankedTurn};
use crate::verify::SliceCheck;

/// Makes a result again from an object with the same attributes.
#[pyfunction]
#[pyo3(name = "_restore", signature = (name, attributes, /))]
pub(crate) fn restore<'py>(
    name: &str,
    attributes: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match name {
        "Analysis" => made::<Assessed<Analysis>, _>(attributes),
        "Assessment" => made::<Assessment, _>(attributes),
        "Block" => made::<Block, _>(attributes),
        "BookAnswer" => made::<Assessed<BookAnswer>, _>(attributes),
        "CertificateReport" => made::<Assessed<CertificateReport>, _>(attributes),
        "Mismatch" => made::<Mismatch, _>(attributes),
        "PlayResult" => made::<Assessed<PlayResult>, _>(attributes),
        "Probes" => made::<Probes, _>(attributes),
        "Progress" => made::<Progress, _>(attributes),
        "RankedTurn" => made::<Assessed<RankedTurn>, _>(attributes),
        "Ranks" => made::<Ranks, _>(attributes),
        "SearchProgress" => made::<SearchProgress, _>(attributes),
        "SliceCheck" => made::<SliceCheck, _>(attributes),
        "SuiteReport" => made::<SuiteReport, _>(attributes),
        _ => Err(PyValueError::new_err(format!("there is no class '{name}' with such a pickle"))),
    }
}

fn made<'py, R, T>(attributes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>
where
    R: FromPyObjectOwned<'py> + Into<PyClassInitializer<T>>,
    T: PyClass,
{
    let result: R = attributes.extract().map_err(Into::into)?;
    Ok(Bound::new(attributes.py(), result)?.into_any())
}

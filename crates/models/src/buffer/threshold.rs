//! Thresholds of a buffer: in cells, or as a fraction of its size.

use super::BufferContext;
use cellway_kernel::error::SpecError;
use cellway_kernel::units::{Cells, Fraction};

/// A threshold given as `cells` (parameter `name`) or as a `fraction` (parameter `of`) of the buffer.
///
/// # Errors
/// Where both are given, or the threshold is beyond the buffer, or the buffer has no size to take a fraction of.
pub(super) fn threshold(
    context: &BufferContext<'_>,
    (name, cells): (&str, Option<Cells>),
    (of, fraction): (&str, Option<Fraction>),
    default: Fraction,
) -> Result<f64, SpecError> {
    let size = context.capacity;
    let unlimited = size == u64::MAX;
    match (cells, fraction) {
        (Some(_), Some(fraction)) => {
            let message = format!("the threshold is given twice, as {name} and as {of}");
            Err(SpecError::new(of, message).found(fraction.0).allowed("one of the two"))
        }
        (Some(Cells(cells)), None) if cells > size => Err(SpecError::new(name, "the threshold lies beyond the buffer")
            .found(format_args!("{cells} cells"))
            .allowed(format_args!("at most {size} cells"))),
        (Some(Cells(cells)), None) => Ok(cells as f64),
        (None, _) if unlimited => Err(SpecError::new(of, "a fraction of a buffer without limit")
            .allowed(format_args!("{name} in cells, or a port with a buffer of a given size"))),
        (None, fraction) => {
            let Fraction(fraction) = fraction.unwrap_or(default);
            if !(fraction > 0.0 && fraction <= 1.0) {
                return Err(SpecError::new(of, "no fraction of the buffer")
                    .found(fraction)
                    .allowed("above 0, at most 1"));
            }
            Ok(fraction * size as f64)
        }
    }
}

/// The parameter Z.
///
/// # Errors
/// Where it is not positive.
pub(super) fn scaling(z: f64) -> Result<f64, SpecError> {
    if z > 0.0 && z.is_finite() {
        return Ok(z);
    }
    Err(SpecError::new("z", "a scaling factor that admits no frame above the threshold").found(z).allowed("above 0"))
}

/// The default of Z, as in the UBR+ paper.
pub(super) fn default_z() -> f64 {
    0.8
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_100: BufferContext<'_> = BufferContext { capacity: 100, weights: &[] };
    const UNLIMITED: BufferContext<'_> = BufferContext { capacity: u64::MAX, weights: &[] };

    fn of(context: &BufferContext<'_>, cells: Option<u64>, fraction: Option<f64>) -> Result<f64, SpecError> {
        threshold(context, ("threshold", cells.map(Cells)), ("fraction", fraction.map(Fraction)), Fraction(0.9))
    }

    #[test]
    fn thresholds_in_cells_and_as_fractions() {
        assert_eq!(of(&OF_100, Some(30), None), Ok(30.0));
        assert_eq!(of(&OF_100, None, Some(0.5)), Ok(50.0));
        assert_eq!(of(&OF_100, None, None), Ok(90.0));
        assert_eq!(of(&UNLIMITED, Some(30), None), Ok(30.0));
    }

    #[test]
    fn impossible_thresholds_are_refused() {
        let path = |result: Result<f64, SpecError>| result.expect_err("impossible").path;
        assert_eq!(path(of(&OF_100, Some(101), None)), "threshold");
        assert_eq!(path(of(&OF_100, Some(30), Some(0.3))), "fraction");
        assert_eq!(path(of(&OF_100, None, Some(0.0))), "fraction");
        assert_eq!(path(of(&OF_100, None, Some(1.01))), "fraction");
        assert_eq!(path(of(&UNLIMITED, None, None)), "fraction");
        for z in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(scaling(z).expect_err("no Z").path, "z");
        }
    }
}

//! One way to use all cores: results in the order of the items, whatever the thread count.

/// Maps items to results, in parallel with the `rayon` feature; the results are in item order.
#[cfg(feature = "rayon")]
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    items.into_par_iter().map(f).collect()
}

/// Maps items to results, in item order.
#[cfg(not(feature = "rayon"))]
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    items.into_iter().map(f).collect()
}

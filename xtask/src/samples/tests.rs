//! What the sample files promise.

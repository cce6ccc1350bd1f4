//! The encodings against their stated bounds.

use super::*;
use alloc::vec::Vec;
use glam::DQuat;
use proptest::prelude::*;

const ENCODINGS: [LocalEncoding; 2] = [LocalEncoding::Local8, LocalEncoding::Local32];

/// Angle of the rotation from one to the other, in radians; exact for small angles too.
fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let (a, b) = (a.normalize(), b.normalize());
    let chord = (a - b).length().min((a + b).length());
    4.0 * libm::asin(chord / 2.0)
}

fn unit_rotation() -> impl Strategy<Value = Quat> {
    let number = || prop_oneof![4 => -1.0..1.0f32, 1 => Just(0.0), 1 => Just(0.5), 1 => -1e-6..1e-6f32];
    [number(), number(), number(), number()]
        .prop_filter("long enough to normalise", |q| q.iter().map(|v| v * v).sum::<f32>() > 1e-14)
        .prop_map(|q| Quat::from_array(q).as_dquat().normalize().as_quat())
}

/// Numbers of one axis: of every size that a file may hold.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        -10.0..10.0f32,
        -1e-30..1e-30f32,
        -1e30..1e30f32,
        1e6..1.000_01e6f32,
        -1e-44..1e-44f32,
        -1e38..1e38f32,
        Just(0.0),
        Just(-1.0),
        Just(1.0)
    ]
}

fn values() -> impl Strategy<Value = Vec<Vec3>> {
    // Values of one node are often of one size: half of the cases share their kind of number.
    let near = (number(), number(), number(), -8..2i32).prop_flat_map(|(x, y, z, size)| {
        let spread = (x.abs().max(y.abs()).max(z.abs()) * 10f32.powi(size)).min(1e37);
        prop::collection::vec([-1.0..=1.0f32, -1.0..=1.0f32, -1.0..=1.0f32], 1..8).prop_map(move |offsets| {
            offsets
                .iter()
                .map(|o| Vec3::new(x, y, z) * 0.9 + Vec3::from_array(*o) * spread)
                .collect::<Vec<_>>()
        })
    });
    let any = prop::collection::vec([number(), number(), number()].prop_map(Vec3::from_array), 1..8);
    prop_oneof![near, any]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn an_unpacked_rotation_is_within_the_stated_bound(rotation in unit_rotation()) {
        for encoding in ENCODINGS {
            let mut texel = alloc::vec![0; encoding.texel_bytes()];
            write_rotation(rotation, encoding, &mut texel);
            let back = read_rotation(&texel, encoding);
            let angle = angle_between(rotation.as_dquat(), back.as_dquat());
            prop_assert!(rotation.dot(back) > 0.0, "{rotation:?} {back:?}: the sign is kept");
            prop_assert!(angle <= f64::from(rotation_bound()), "{rotation:?} {back:?}: {angle}");
            prop_assert!((back.as_dquat().length() - 1.0).abs() < 3e-7, "{back:?}");
        }
    }

    #[test]
    fn an_unpacked_value_is_within_the_stated_bound(values in values()) {
        let range = range_of(&values).expect("numbers that can be stored");
        let bound = f64::from(ranged_bound(range));
        for value in values {
            for (value, min) in value.to_array().into_iter().zip(range.to_array()) {
                prop_assert!(value >= min && f64::from(value) <= f64::from(min) + f64::from(range.w));
            }
            for encoding in ENCODINGS {
                let mut texel = alloc::vec![0; encoding.texel_bytes()];
                write_value(value, range, encoding, &mut texel);
                let back = read_value(&texel, range, encoding);
                let error = (back.as_dvec3() - value.as_dvec3()).abs().max_element();
                prop_assert!(error <= bound, "{value:?} {back:?} in {range:?}: {error} above {bound}");
                prop_assert!(encoding == LocalEncoding::Local8 || back == value);
            }
        }
    }

    #[test]
    fn any_bytes_give_finite_numbers(
        bytes: [u8; 16], exponents: [bool; 4], values in values(),
    ) {
        let mut bytes = bytes;
        for (word, extreme) in exponents.into_iter().enumerate() {
            if extreme {
                bytes[word * 4 + 2] |= 0x80;
                bytes[word * 4 + 3] |= 0x7f;
            }
        }
        let range = range_of(&values).expect("numbers that can be stored");
        for encoding in ENCODINGS {
            let texel = &bytes[..encoding.texel_bytes()];
            let rotation = read_rotation(texel, encoding);
            prop_assert!(rotation.is_finite());
            prop_assert!(encoding == LocalEncoding::Local32 || (rotation.length() - 1.0).abs() < 3e-7);
            let value = read_value(texel, range, encoding);
            prop_assert!(value.is_finite() && value.abs().max_element() <= 3.01 * LOCAL_VALUE_MAX);
        }
    }

    #[test]
    fn packed_numbers_fill_the_stated_bits(
        // Up to 0.49, so that the dropped number is indeed the largest.
        stored in prop::array::uniform3(161_287..=887_287u32), dropped in 0..4u32, negated in 0..2u32,
    ) {
        let [a, b, c] = stored;
        let words = [a | (b & 0xfff) << 20, b >> 12 | c << 8 | dropped << 28 | negated << 30];
        prop_assert_eq!(pack_rotation(unpack_rotation(words)), words);
    }
}

#[test]
fn constants_are_the_numbers_they_are_said_to_be() {
    let nearest =
        |number: f32, exact: f64| (f64::from(number) - exact).abs() <= exact * f64::from(f32::EPSILON) / 4.0;
    assert!(nearest(ROTATION_STEP, core::f64::consts::FRAC_1_SQRT_2 / 524_287.0));
    assert!(nearest(RANGED_STEP, 1.0 / 2_097_151.0));
    assert_eq!(RANGED_MAX, (1 << 21) - 1);
}

#[test]
fn the_worst_rotation_is_near_the_bound() {
    // All four numbers nearly equal, off the grid by half a step: the largest error, or the bound says too much.
    let mut worst = 0.0f64;
    for offset in 0..2000 {
        let near = 0.5 - f64::from(offset) * 1e-7;
        let rotation = DQuat::from_xyzw(near, near, near, (1.0 - 3.0 * near * near).sqrt()).as_quat();
        let back = unpack_rotation(pack_rotation(rotation));
        worst = worst.max(angle_between(rotation.as_dquat(), back.as_dquat()));
    }
    assert!(worst > 0.85 * f64::from(rotation_bound()) && worst <= f64::from(rotation_bound()), "{worst}");
}

#[test]
fn rotations_known_by_hand() {
    let identity = [524_287 | (524_287 & 0xfff) << 20, 524_287 >> 12 | 524_287 << 8 | 3 << 28];
    let half = core::f32::consts::FRAC_1_SQRT_2;
    // (rotation, what comes back exactly)
    let table = [
        (Quat::IDENTITY, Quat::IDENTITY),
        (-Quat::IDENTITY, -Quat::IDENTITY),
        (Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
        (Quat::from_xyzw(0.0, -1.0, 0.0, 0.0), Quat::from_xyzw(0.0, -1.0, 0.0, 0.0)),
        (Quat::from_xyzw(0.0, 0.0, 2.0, 0.0), Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)),
        (Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Quat::IDENTITY),
        (Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), Quat::IDENTITY),
    ];
    for (rotation, expected) in table {
        assert_eq!(unpack_rotation(pack_rotation(rotation)), expected, "{rotation:?}");
    }
    assert_eq!(pack_rotation(Quat::IDENTITY), identity);
    // Of two equal numbers the first is dropped.
    assert_eq!(pack_rotation(Quat::from_xyzw(0.0, half, half, 0.0))[1] >> 28, 1);
}

#[test]
fn ranges_known_by_hand() {
    let values = [Vec3::new(1.0, -2.0, 5.0), Vec3::new(3.0, -2.0, 4.0)];
    let range = range_of(&values).expect("plain numbers");
    assert_eq!(range, Vec4::new(1.0, -2.0, 4.0, 2.0));
    assert_eq!(pack_ranged(values[0], range), [0, 1_048_576 << 10]);
    assert_eq!(pack_ranged(values[1], range), [RANGED_MAX, 0]);
    assert_eq!(pack_ranged(Vec3::splat(100.0), range), [u32::MAX, 0x7fff_ffff]);
    // An axis that stands still while others move is exact.
    assert_eq!(unpack_ranged(pack_ranged(values[1], range), range).y, -2.0);
    let still = range_of(&[Vec3::splat(7.5); 3]).expect("plain numbers");
    assert_eq!((still.w, unpack_ranged([u32::MAX; 2], still)), (0.0, Vec3::splat(7.5)));
    assert_eq!(range_of(&[]), Some(Vec4::ZERO));
    for bad in [f32::NAN, f32::INFINITY, 1.1e38] {
        assert_eq!(range_of(&[Vec3::ZERO, Vec3::new(0.0, bad, 0.0)]), None);
        assert_eq!(range_of(&[Vec3::new(bad, 0.0, 0.0), Vec3::ZERO]), None);
    }
}

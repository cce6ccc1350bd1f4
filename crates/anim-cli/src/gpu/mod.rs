//! A GPU without a window: which adapter, what its device allows, and errors that end a case instead of the program.

pub(crate) mod frame_timer;
pub(crate) mod scatter;
pub(crate) mod target;

use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostics::{Failure, Problem};

/// Which limits a device is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitsWish {
    /// The adapter's own sizes of buffers and bindings; WebGPU's defaults for all else.
    Adapter,
    /// WebGPU's defaults: what runs everywhere.
    Default,
}

/// An open device.
#[derive(Debug)]
pub(crate) struct Gpu {
    pub(crate) info: wgpu::AdapterInfo,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// Whether passes can be timed.
    pub(crate) timestamps: bool,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Gpu {
    /// Opens the best adapter, or the best of those whose name contains `name`.
    pub(crate) fn open(name: Option<&str>, wish: LimitsWish) -> Result<Self, Failure> {
        let mut adapters = adapters_of(wgpu::Backends::PRIMARY);
        if !adapters.iter().any(is_usable) {
            // OpenGL lacks what crowds need on most machines: it is only looked at where there is nothing else.
            adapters.extend(adapters_of(wgpu::Backends::GL));
        }
        let adapter = choose(&adapters, name)?;
        let info = adapter.get_info();
        let required_limits = limits(&adapter.limits(), wish);
        let timestamps = adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let required_features =
            if timestamps { wgpu::Features::TIMESTAMP_QUERY } else { wgpu::Features::empty() };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("anim"),
            required_features,
            required_limits,
            memory_hints: wgpu::MemoryHints::Performance,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| {
            Problem::error("gpu-not-usable", "", format!("the GPU {:?} gives no device: {error}", info.name))
                .help("update its driver, or choose another adapter with --adapter")
        })?;
        let errors = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&errors);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            list.lock().unwrap_or_else(PoisonError::into_inner).push(first_line(&error.to_string()));
        }));
        Ok(Self { info, device, queue, timestamps, errors })
    }

    /// Whether the adapter is a program on the CPU.
    pub(crate) fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// What went wrong on the device since the last call: the first message.
    pub(crate) fn take_error(&self) -> Option<String> {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let first = errors.first().cloned();
        errors.clear();
        first
    }

    /// Waits until everything that was submitted is done.
    pub(crate) fn wait(&self) -> Result<(), String> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map(drop).map_err(|error| error.to_string())
    }
}

fn adapters_of(backends: wgpu::Backends) -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends))
}

/// The best adapter that can do what is needed.
fn choose<'a>(adapters: &'a [wgpu::Adapter], name: Option<&str>) -> Result<&'a wgpu::Adapter, Failure> {
    let usable: Vec<&wgpu::Adapter> = adapters.iter().filter(|adapter| is_usable(adapter)).collect();
    let is_named = |adapter: &&&wgpu::Adapter| match name {
        Some(name) => adapter.get_info().name.to_lowercase().contains(&name.to_lowercase()),
        None => true,
    };
    let found = usable.iter().filter(is_named).min_by_key(|adapter| rank(&adapter.get_info()));
    if let Some(adapter) = found {
        return Ok(adapter);
    }
    let names: Vec<String> = usable.iter().map(|adapter| describe(&adapter.get_info())).collect();
    Err(match (name, names.is_empty()) {
        (Some(name), false) => Problem::error("no-such-gpu", "", format!("there is no GPU named {name:?}"))
            .expected_found(names.join(", "), format!("{name:?}"))
            .help("give a part of one of these names, or leave --adapter out"),
        _ => Problem::error("no-gpu", "", "there is no GPU that can be used")
            .expected_found(
                "an adapter for Vulkan, Metal or Direct3D 12 with WebGPU's default limits",
                match adapters {
                    [] => "none".to_owned(),
                    others => {
                        let names: Vec<String> = others.iter().map(|a| describe(&a.get_info())).collect();
                        format!("only {}", names.join(", "))
                    }
                },
            )
            .help(
                "install the GPU's driver; on Linux a software adapter will do, on Debian-like systems \
                 `apt-get install mesa-vulkan-drivers libvulkan1`",
            ),
    }
    .into())
}

/// Whether an adapter has everything that drawing crowds on the GPU needs.
fn is_usable(adapter: &wgpu::Adapter) -> bool {
    let is_known = adapter.get_info().backend != wgpu::Backend::Noop;
    is_known && wgpu::Limits::default().check_limits(&adapter.limits())
}

/// Better adapters have lower ranks.
fn rank(info: &wgpu::AdapterInfo) -> (u8, u8) {
    let device = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    (device, u8::from(info.backend == wgpu::Backend::Gl))
}

/// Name and backend.
pub(crate) fn describe(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({})", info.name, info.backend)
}

fn limits(adapter: &wgpu::Limits, wish: LimitsWish) -> wgpu::Limits {
    let default = wgpu::Limits::default();
    match wish {
        LimitsWish::Default => default,
        LimitsWish::Adapter => wgpu::Limits {
            max_buffer_size: adapter.max_buffer_size,
            max_storage_buffer_binding_size: adapter.max_storage_buffer_binding_size,
            max_texture_dimension_2d: adapter.max_texture_dimension_2d,
            ..default
        },
    }
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // wgpu says where first and what last.
    let (first, last) = (lines.next().unwrap_or_default(), lines.next_back().unwrap_or_default());
    if last.is_empty() { first.to_owned() } else { format!("{first}: {last}") }
}

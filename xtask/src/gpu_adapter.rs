//! A GPU adapter for the tests: Mesa's software Vulkan where a machine has none.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::run;

/// Folders in which a Vulkan driver says that it is there.
const DRIVER_FOLDERS: &[&str] =
    &["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// The package that holds a software driver on Debian-like machines, and the loader.
const PACKAGES: &[&str] = &["mesa-vulkan-drivers", "libvulkan1"];

/// Makes sure that there is a driver. On Linux without one: installs it where this program may, else says the command.
pub(crate) fn ensure() -> Result<()> {
    if !cfg!(target_os = "linux") || has_driver() {
        return Ok(());
    }
    let by_hand = format!("apt-get install --yes {}", PACKAGES.join(" "));
    if !Path::new("/usr/bin/apt-get").is_file() || !is_root() {
        bail!("there is no Vulkan driver; install one, on Debian-like machines: sudo {by_hand}");
    }
    println!("there is no Vulkan driver: {by_hand}");
    run(Command::new("apt-get").args(["update", "--quiet=2"]))?;
    let install = ["install", "--yes", "--quiet=2", "--no-install-recommends"];
    run(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(install).args(PACKAGES))?;
    if has_driver() {
        Ok(())
    } else {
        bail!("the packages were installed and there is still no Vulkan driver")
    }
}

fn has_driver() -> bool {
    let named = std::env::var_os("VK_DRIVER_FILES").or_else(|| std::env::var_os("VK_ICD_FILENAMES"));
    named.is_some()
        || DRIVER_FOLDERS
            .iter()
            .any(|folder| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}

//! GPU adapters for the tests: Mesa's software Vulkan and OpenGL where a machine has none.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::run;

/// Folders in which a Vulkan driver says that it is there.
const VULKAN_FOLDERS: &[&str] =
    &["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// The package that holds a software driver on Debian-like machines, and the loader.
const VULKAN_PACKAGES: &[&str] = &["mesa-vulkan-drivers", "libvulkan1"];

/// Folders in which an EGL driver says that it is there.
const EGL_FOLDERS: &[&str] = &["/usr/share/glvnd/egl_vendor.d", "/etc/glvnd/egl_vendor.d"];

/// The packages that hold EGL and a software OpenGL driver on Debian-like machines.
const EGL_PACKAGES: &[&str] = &["libegl1", "libgl1-mesa-dri"];

/// Makes sure that there is a Vulkan driver, and an OpenGL one where that costs no more than a package. On Linux without
/// one: installs it where this program may. Else says the command, which is an error for Vulkan only: tests of what
/// WebGL2 does say by themselves that they were not run.
pub(crate) fn ensure() -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    if !has_vulkan() {
        if !may_install() {
            let by_hand = install_command(VULKAN_PACKAGES);
            bail!("there is no Vulkan driver; install one, on Debian-like machines: sudo {by_hand}");
        }
        install("Vulkan", VULKAN_PACKAGES)?;
        if !has_vulkan() {
            bail!("the packages were installed and there is still no Vulkan driver");
        }
    }
    if !has_any_file(EGL_FOLDERS) {
        let by_hand = install_command(EGL_PACKAGES);
        let installed = may_install() && install("OpenGL", EGL_PACKAGES).is_ok();
        if !installed {
            println!("NOT CHECKED: there is no OpenGL driver; on Debian-like machines: sudo {by_hand}");
        }
    }
    Ok(())
}

fn may_install() -> bool {
    Path::new("/usr/bin/apt-get").is_file() && is_root()
}

fn install_command(packages: &[&str]) -> String {
    format!("apt-get install --yes {}", packages.join(" "))
}

fn install(what: &str, packages: &[&str]) -> Result<()> {
    println!("there is no {what} driver: {}", install_command(packages));
    run(Command::new("apt-get").args(["update", "--quiet=2"]))?;
    let install = ["install", "--yes", "--quiet=2", "--no-install-recommends"];
    run(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(install).args(packages))
}

fn has_vulkan() -> bool {
    let named = std::env::var_os("VK_DRIVER_FILES").or_else(|| std::env::var_os("VK_ICD_FILENAMES"));
    named.is_some() || has_any_file(VULKAN_FOLDERS)
}

fn has_any_file(folders: &[&str]) -> bool {
    folders.iter().any(|folder| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}

//! Who works on a run? This process, so named that others on the machine can tell whether it still lives.
//!
//! `machine/processes/number/start`: the name of the machine, the namespace its processes are counted in, the number of the
//! process, and when it started. Where `/proc` is missing nobody is known to have ended, and leases run out instead.

use std::fs;

/// This process.
pub fn own() -> String {
    let number = std::process::id();
    format!("{}/{number}/{}", machine(), started(number).unwrap_or_default())
}

/// Was it a process of this machine that has ended?
pub fn has_ended(owner: &str) -> bool {
    let Some(rest) = owner.strip_prefix(&machine()).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let Some((number, start)) = rest.split_once('/') else { return false };
    let Ok(number) = number.parse::<u32>() else { return false };
    let alive = started(std::process::id()).is_some();
    alive && started(number).is_none_or(|now| now != start)
}

fn machine() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned());
    format!("{}/{}", name.trim(), namespace.unwrap_or_default().trim_matches(|c: char| !c.is_ascii_digit()))
}

/// In ticks since the machine started (proc(5), field 22); none when there is no such process, or it has ended and only its
/// parent has not heard of it yet.
fn started(number: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    fields.nth(18).filter(|_| state != "Z").map(str::to_owned)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_process_lives_until_it_has_ended() {
        assert!(!has_ended(&own()));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let owner = format!("{}/{}/{}", machine(), child.id(), started(child.id()).unwrap());
        assert!(!has_ended(&owner));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(has_ended(&owner));
        assert!(!has_ended("elsewhere/1/2/3"), "of other machines nobody knows");
    }
}

//! How much memory do the processes of a browser take? Its process group → bytes that are theirs alone.

use std::fs;

/// Resident memory that is no file's and not shared, of all processes of the group; 0 where the system does not tell.
pub fn of_group(group: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|&process| group_of(process) == Some(group)).filter_map(own_memory).sum()
}

fn group_of(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; state, parent and group follow.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(2)?.parse().ok()
}

fn own_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_group_takes_some() {
        let own = group_of(std::process::id()).expect("a group");
        assert!(of_group(own) > 100_000);
        assert_eq!(of_group(u32::MAX), 0);
    }
}

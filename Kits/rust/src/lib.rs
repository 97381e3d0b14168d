// SPDX-License-Identifier: Apache-2.0 OR 0BSD
//! kit-name: a bgrun plugin in Rust. `count` does its work in pieces, can stop after each piece, and
//! continues at the next one.

mod bgrun;
#[cfg(test)]
mod layout;

use bgrun::{Failure, Level, Task};
use std::time::Duration;

crate::plugin! { "kit-name", env!("CARGO_PKG_VERSION"), "count" => count }

/// The content of a checkpoint. Raise the version with every change.
const POSITION_VERSION: u32 = 1;
#[derive(Debug, Default, PartialEq)]
struct Position {
    done: u64, // pieces
}

impl Position {
    fn bytes(&self) -> [u8; 8] {
        self.done.to_le_bytes()
    }

    fn read(bytes: &[u8]) -> Option<Position> {
        Some(Position {
            done: u64::from_le_bytes(bytes.try_into().ok()?),
        })
    }
}

/// The number in `{"key": number}`. A plugin with more parameters uses a JSON crate.
fn parameter(json: &str, key: &str) -> Option<u64> {
    let (_, after) = json.split_once(&format!("\"{key}\""))?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    value
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// Does one piece of the work; put yours here. It must be short, and harmless if repeated. Returns
/// false if the time was revoked.
fn do_piece(task: &Task, time: Duration) -> Result<bool, Failure> {
    Ok(task.wait(time))
}

fn count(task: &Task) -> Result<String, Failure> {
    let pieces = parameter(task.parameters_json(), "pieces").unwrap_or(20);
    let milliseconds = parameter(task.parameters_json(), "milliseconds").unwrap_or(50);
    let stored = task.checkpoint(POSITION_VERSION);
    let mut at = stored
        .and_then(|bytes| Position::read(&bytes))
        .unwrap_or_default();

    task.title("Counting");
    if at.done > 0 {
        task.log(
            Level::Info,
            &format!("continues after {} of {pieces} pieces", at.done),
        );
    }
    while at.done < pieces {
        if task.should_defer() || !do_piece(task, Duration::from_millis(milliseconds))? {
            return Err(format!("stopped after {} of {pieces} pieces", at.done).into());
        }
        at.done += 1;
        task.save(POSITION_VERSION, &at.bytes())?;
        task.progress(at.done as i64, pieces as i64);
    }
    Ok(format!("counted {} of {pieces} pieces", at.done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_back_and_another_size_is_refused() {
        let at = Position { done: 7 };
        assert_eq!(Position::read(&at.bytes()), Some(at));
        assert_eq!(Position::read(b"seven"), None);
    }

    #[test]
    fn a_parameter_is_a_number_or_missing() {
        assert_eq!(
            parameter(r#"{"pieces": 3,"milliseconds":50}"#, "pieces"),
            Some(3)
        );
        assert_eq!(parameter(r#"{"pieces": "3"}"#, "pieces"), None);
        assert_eq!(parameter("{}", "pieces"), None);
    }
}

// SPDX-License-Identifier: Apache-2.0 OR 0BSD
//! Compares the structs of bgrun.rs with those of the installed bgrun_plugin.h: needs cc and
//! pkg-config.

use crate::bgrun::abi;
use std::mem::{size_of, MaybeUninit};
use std::process::Command;
use std::ptr::addr_of;

/// The name in C, the offset and the size of each field.
type Fields = Vec<(String, usize, usize)>;

fn size_behind<T>(_: *const T) -> usize {
    size_of::<T>()
}

macro_rules! fields {
    ($($c:ident = $rust:ident { $($field:ident),+ })+) => {{
        let mut fields: Fields = Vec::new();
        $(
            let value = MaybeUninit::<abi::$rust>::uninit();
            let base = value.as_ptr();
            $(
                let field = unsafe { addr_of!((*base).$field) };
                let name = concat!(stringify!($c), ", ", stringify!($field)).to_string();
                fields.push((name, field as usize - base as usize, size_behind(field)));
            )+
        )+
        fields
    }};
}

fn in_rust() -> Fields {
    fields! {
        bgrun_launch = Launch {
            struct_size, kind, attempt, reserved, identifier, parameters_json,
            manifest_directory, deadline_boottime_ns
        }
        bgrun_expiration = Expiration {
            struct_size, reason, grace_ns, deadline_boottime_ns, reason_text
        }
        bgrun_handler = Handler { struct_size, flags, name, user_data, launch, expire }
        bgrun_plugin = Plugin {
            struct_size, abi_version, flags, reserved, name, version, init, get_extension
        }
        bgrun_host = Host {
            struct_size, abi_version, host_data, name, version, register_handler, get_extension,
            complete, is_expired, should_defer, set_progress, set_title, log
        }
        bgrun_checkpoint_ext = CheckpointExt { struct_size, reserved, put, get }
    }
}

/// A C translation unit that compiles only if the header agrees.
fn assertions(fields: &Fields) -> String {
    let mut source = "#include <bgrun_plugin.h>\n".to_string();
    for (name, offset, size) in fields {
        let (structure, field) = name.split_once(", ").unwrap();
        source += &format!("_Static_assert(offsetof({name}) == {offset}, \"{name}: offset\");\n");
        source += &format!(
            "_Static_assert(sizeof((({structure} *)0)->{field}) == {size}, \"{name}: size\");\n"
        );
    }
    source
}

fn compiles(source: &str) -> bool {
    let command = "printf %s \"$0\" | cc -std=c11 -fsyntax-only $(pkg-config --cflags bgrun) -xc -";
    Command::new("sh")
        .args(["-c", command, source])
        .status()
        .unwrap()
        .success()
}

#[test]
fn the_structs_are_those_of_the_header() {
    let fields = in_rust();
    assert!(fields.len() > 40);
    assert!(compiles(&assertions(&fields)));
}

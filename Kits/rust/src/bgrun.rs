// SPDX-License-Identifier: Apache-2.0 OR 0BSD
//! bgrun_plugin.h, ABI 1.1, for Rust, and a safe interface to it: [`Task`], [`Failure`] and
//! [`plugin!`](crate::plugin). Only this file has unsafe code. layout.rs compares the structs
//! with those of the header. Needs Rust 1.63.

// A binding has declarations that one plugin may not need.
#![allow(dead_code)]
#![deny(unsafe_op_in_unsafe_fn)]

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An error message for people. `?` converts any error or text to it.
pub struct Failure(String);

impl<T: ToString> From<T> for Failure {
    fn from(cause: T) -> Self {
        Failure(cause.to_string())
    }
}

/// Runs one attempt and ends it by returning: with success and a message, or as failed. A panic is
/// a failure too.
pub type Handler = fn(&Task) -> Result<String, Failure>;

#[derive(Clone, Copy)]
pub enum Level {
    Debug = 0,
    Info = 1,
    Warning = 2,
    Error = 3,
}

/// One attempt. Exists while the handler runs; may be shared with threads of a
/// [`std::thread::scope`].
pub struct Task<'a> {
    handle: *mut abi::Task,
    launch: &'a abi::Launch,
    host: &'static abi::Host,
}

// The header tags every function that is called through a Task [any-thread], and the data of
// `launch` does not change while the handler runs.
unsafe impl Send for Task<'_> {}
unsafe impl Sync for Task<'_> {}

impl Task<'_> {
    pub fn identifier(&self) -> &str {
        text(self.launch.identifier)
    }

    /// A JSON object, `{}` when the manifest has no parameters.
    pub fn parameters_json(&self) -> &str {
        text(self.launch.parameters_json)
    }

    /// Absolute; relative paths in parameters start here.
    pub fn manifest_directory(&self) -> &str {
        text(self.launch.manifest_directory)
    }

    /// 1 for the first attempt of a request.
    pub fn attempt(&self) -> u32 {
        self.launch.attempt
    }

    /// Whether the time is revoked: stop, save, return an error.
    pub fn is_expired(&self) -> bool {
        unsafe { (self.host.is_expired)(self.handle) != 0 }
    }

    /// Whether bgrun would like the work to stop at the next good place.
    pub fn should_defer(&self) -> bool {
        unsafe { (self.host.should_defer)(self.handle) != 0 }
    }

    /// Sleeps for this time, or until the time is revoked; returns false if it is revoked.
    pub fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut held = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_expired() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            let woken = EXPIRATION.wait_timeout(held, left);
            held = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// A `total` of 0 means unknown.
    pub fn progress(&self, completed: i64, total: i64) {
        unsafe { (self.host.set_progress)(self.handle, completed, total) };
    }

    pub fn title(&self, title: &str) {
        let title = c_string(title);
        unsafe { (self.host.set_title)(self.handle, title.as_ptr(), std::ptr::null()) };
    }

    pub fn log(&self, level: Level, message: &str) {
        let message = c_string(message);
        unsafe { (self.host.log)(self.host, self.handle, level as u32, message.as_ptr()) };
    }

    /// The checkpoint, if there is one of this version.
    pub fn checkpoint(&self, version: u32) -> Option<Vec<u8>> {
        let store = self.checkpoints()?;
        let (mut size, mut stored) = (0, 0);
        let none = std::ptr::null_mut();
        let found = unsafe { (store.get)(self.handle, none, 0, &mut size, &mut stored) };
        if found != abi::OK || stored != version {
            return None;
        }
        let mut data = vec![0u8; size as usize];
        let buffer = data.as_mut_ptr().cast();
        let found = unsafe { (store.get)(self.handle, buffer, size, &mut size, &mut stored) };
        (found == abi::OK && stored == version && size == data.len() as u64).then_some(data)
    }

    /// Replaces the checkpoint atomically, and returns when it is on disk.
    pub fn save(&self, version: u32, data: &[u8]) -> Result<(), Failure> {
        let store = self.checkpoints().ok_or("this bgrun has no checkpoints")?;
        let size = data.len() as u64;
        match unsafe { (store.put)(self.handle, version, data.as_ptr().cast(), size) } {
            abi::OK => Ok(()),
            code => Err(format!("the checkpoint could not be stored ({code})").into()),
        }
    }

    fn checkpoints(&self) -> Option<&'static abi::CheckpointExt> {
        let id = b"bgrun.checkpoint/1\0".as_ptr().cast();
        unsafe { ((self.host.get_extension)(self.host, id) as *const abi::CheckpointExt).as_ref() }
    }

    fn complete(&self, success: bool, message: &str) {
        let message = c_string(message);
        unsafe { (self.host.complete)(self.handle, success.into(), message.as_ptr()) };
    }
}

/// Makes the library a plugin; once in a crate:
/// `bgrun::plugin! { "name", "version", "handler" => function, ... }`
#[macro_export]
macro_rules! plugin {
    ($name:expr, $version:expr, $($handler:literal => $function:path),+ $(,)?) => {
        #[no_mangle]
        pub extern "C" fn bgrun_plugin_entry(version: u32) -> *const $crate::bgrun::abi::Plugin {
            use $crate::bgrun::{abi, register, Handler};
            extern "C" fn init(host: *const abi::Host) -> i32 {
                static HANDLERS: &[(&str, Handler)] = &[$((concat!($handler, "\0"), $function)),+];
                unsafe { register(host, HANDLERS) }
            }
            static PLUGIN: abi::Plugin = abi::Plugin {
                struct_size: std::mem::size_of::<abi::Plugin>() as u32,
                abi_version: abi::VERSION,
                flags: 0,
                reserved: 0,
                name: concat!($name, "\0").as_ptr().cast(),
                version: concat!($version, "\0").as_ptr().cast(),
                init,
                get_extension: None,
            };
            if version >> 16 == abi::VERSION >> 16 { &PLUGIN } else { std::ptr::null() }
        }
    };
}

static HOST: AtomicPtr<abi::Host> = AtomicPtr::new(std::ptr::null_mut());
/// Protects no data, because is_expired is atomic, but ensures that a sleeper does not miss the call.
static LOCK: Mutex<()> = Mutex::new(());
static EXPIRATION: Condvar = Condvar::new();

/// Registers the handlers, whose names end in NUL.
///
/// # Safety
/// `host` must be the host that `init` received.
pub unsafe fn register(host: *const abi::Host, handlers: &'static [(&str, Handler)]) -> i32 {
    HOST.store(host as *mut abi::Host, Ordering::Release);
    for handler in handlers {
        let entry = abi::Handler {
            struct_size: std::mem::size_of::<abi::Handler>() as u32,
            flags: 0,
            name: handler.0.as_ptr().cast(),
            user_data: handler as *const (&str, Handler) as *mut c_void,
            launch,
            expire: Some(expire),
        };
        let result = unsafe { ((*host).register_handler)(host, &entry) };
        if result != abi::OK {
            return result;
        }
    }
    abi::OK
}

/// A panic must not unwind into bgrun.
unsafe extern "C" fn launch(
    user_data: *mut c_void,
    handle: *mut abi::Task,
    launch: *const abi::Launch,
) {
    let (_, run) = unsafe { *(user_data as *const (&str, Handler)) };
    let host: &'static abi::Host = unsafe { &*HOST.load(Ordering::Acquire) };
    let task = Task {
        handle,
        launch: unsafe { &*launch },
        host,
    };
    match catch_unwind(AssertUnwindSafe(|| run(&task))) {
        Ok(Ok(message)) => task.complete(true, &message),
        Ok(Err(Failure(message))) => task.complete(false, &message),
        Err(_) => task.complete(false, "the handler panicked; its output says where"),
    }
}

unsafe extern "C" fn expire(_: *mut c_void, _: *mut abi::Task, _: *const abi::Expiration) {
    let _held = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    EXPIRATION.notify_all();
}

fn text<'a>(pointer: *const c_char) -> &'a str {
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// The declarations of bgrun_plugin.h that are used here; the comments are there.
pub mod abi {
    use super::{c_char, c_void};

    pub const VERSION: u32 = 1 << 16 | 1;
    pub const OK: i32 = 0;

    #[repr(C)]
    pub struct Task {
        _opaque: [u8; 0],
    }

    #[repr(C)]
    pub struct Launch {
        pub struct_size: u32,
        pub kind: u32,
        pub attempt: u32,
        pub reserved: u32,
        pub identifier: *const c_char,
        pub parameters_json: *const c_char,
        pub manifest_directory: *const c_char,
        pub deadline_boottime_ns: i64,
    }

    #[repr(C)]
    pub struct Expiration {
        pub struct_size: u32,
        pub reason: u32,
        pub grace_ns: i64,
        pub deadline_boottime_ns: i64,
        pub reason_text: *const c_char,
    }

    #[repr(C)]
    pub struct Handler {
        pub struct_size: u32,
        pub flags: u32,
        pub name: *const c_char,
        pub user_data: *mut c_void,
        pub launch: unsafe extern "C" fn(*mut c_void, *mut Task, *const Launch),
        pub expire: Option<unsafe extern "C" fn(*mut c_void, *mut Task, *const Expiration)>,
    }

    #[repr(C)]
    pub struct Plugin {
        pub struct_size: u32,
        pub abi_version: u32,
        pub flags: u32,
        pub reserved: u32,
        pub name: *const c_char,
        pub version: *const c_char,
        pub init: unsafe extern "C" fn(*const Host) -> i32,
        pub get_extension: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
    }

    // It has only pointers to constants.
    unsafe impl Sync for Plugin {}

    #[repr(C)]
    pub struct Host {
        pub struct_size: u32,
        pub abi_version: u32,
        pub host_data: *mut c_void,
        pub name: *const c_char,
        pub version: *const c_char,
        pub register_handler: unsafe extern "C" fn(*const Host, *const Handler) -> i32,
        pub get_extension: unsafe extern "C" fn(*const Host, *const c_char) -> *const c_void,
        pub complete: unsafe extern "C" fn(*mut Task, i32, *const c_char) -> i32,
        pub is_expired: unsafe extern "C" fn(*mut Task) -> i32,
        pub should_defer: unsafe extern "C" fn(*mut Task) -> i32,
        pub set_progress: unsafe extern "C" fn(*mut Task, i64, i64) -> i32,
        pub set_title: unsafe extern "C" fn(*mut Task, *const c_char, *const c_char) -> i32,
        pub log: unsafe extern "C" fn(*const Host, *mut Task, u32, *const c_char) -> i32,
    }

    #[repr(C)]
    pub struct CheckpointExt {
        pub struct_size: u32,
        pub reserved: u32,
        pub put: unsafe extern "C" fn(*mut Task, u32, *const c_void, u64) -> i32,
        pub get: unsafe extern "C" fn(*mut Task, *mut c_void, u64, *mut u64, *mut u32) -> i32,
    }
}

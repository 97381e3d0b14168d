// SPDX-License-Identifier: Apache-2.0

/// The descriptors a worker is started with, beside the standard three.
enum WorkerDescriptor {
    /// The main thread reads it: what to load, what to launch.
    static let launch: Int32 = 3
    /// The watcher reads it: expirations and answers. Everything a worker says goes out on it.
    static let control: Int32 = 4
    /// The plugin's file, when its digest is pinned; open until it is loaded.
    static let plugin: Int32 = 5
}

// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

/// The `bgrun_host` for plugins: each function checks its arguments and calls the controller.
enum HostTable {
    static let abiVersion = BGRUN_ABI_MAJOR << 16 | BGRUN_ABI_MINOR

    static func versionText(_ version: UInt32) -> String { "\(version >> 16).\(version & 0xffff)" }

    /// Allocated once and never freed: a plugin may use it until the process ends.
    nonisolated(unsafe) static let pointer: UnsafePointer<bgrun_host> = constant(
        bgrun_host(
            struct_size: UInt32(MemoryLayout<bgrun_host>.size), abi_version: abiVersion,
            host_data: nil, name: constant("bgrun"), version: constant(Version.text),
            register_handler: { _, handler in
                TrialHost.remark(0, "register_handler", Registrations.register(handler))
            },
            get_extension: { _, name in HostTable.extensionTable(name) },
            complete: { task, success, message in
                let status = AttemptController.shared.complete(
                    attempt(task), success: success != 0,
                    message: message.map { text($0, atMost: 4_096) })
                return TrialHost.remark(attempt(task), "complete", status)
            },
            is_expired: { task in AttemptController.shared.isActive(attempt(task)) ? 0 : 1 },
            should_defer: { task in AttemptController.shared.isActive(attempt(task)) ? 0 : 1 },
            set_progress: { task, completed, total in
                let status = AttemptController.shared.setProgress(
                    attempt(task), completed: completed, total: total)
                return TrialHost.remark(attempt(task), "set_progress", status)
            },
            set_title: { task, title, subtitle in
                TrialHost.remark(
                    attempt(task), "set_title", setTitle(attempt(task), title, subtitle))
            },
            log: { _, task, level, message in
                TrialHost.remark(attempt(task), "log", log(attempt(task), level, message))
            }))

    /// The attempt of a `bgrun_task *`; 0 for NULL.
    static func attempt(_ task: OpaquePointer?) -> Int64 { Int64(Int(bitPattern: task)) }

    /// At most `limit` bytes of a C string, cut at a character.
    static func text(_ pointer: UnsafePointer<CChar>, atMost limit: Int) -> String {
        let length = strnlen(pointer, limit)
        let bytes = UnsafeRawBufferPointer(start: pointer, count: length)
        let text = String(decoding: bytes, as: UTF8.self)
        // A truncated text may end in an incomplete character; that is not an error of the plugin.
        if TrialHost.isTrial, length < limit, !text.utf8.elementsEqual(bytes) {
            _ = TrialHost.remark(0, "text", BGRUN_E_INVALID)
        }
        return text
    }

    /// A copy of `value` that is never freed.
    static func constant<Value>(_ value: Value) -> UnsafePointer<Value> {
        let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        pointer.initialize(to: value)
        return UnsafePointer(pointer)
    }

    private static func constant(_ text: String) -> UnsafePointer<CChar> {
        UnsafePointer(strdup(text))
    }

    private static func setTitle(
        _ id: Int64, _ title: UnsafePointer<CChar>?, _ subtitle: UnsafePointer<CChar>?
    ) -> Int32 {
        AttemptController.shared.withCurrent(id) { _ in
            HostChannel.send(
                .title(
                    attempt: id, title: title.map { text($0, atMost: 256) },
                    subtitle: subtitle.map { text($0, atMost: 256) }))
            return BGRUN_OK
        }
    }

    private static func log(_ id: Int64, _ level: UInt32, _ message: UnsafePointer<CChar>?) -> Int32
    {
        guard let message else { return BGRUN_E_INVALID }
        HostChannel.send(
            .log(
                attempt: id, level: UInt8(min(level, BGRUN_LOG_ERROR)),  // fits: a level
                text: line(text(message, atMost: 4_096))))
        return BGRUN_OK
    }

    private static func line(_ text: String) -> String {
        let feed = UInt8(ascii: "\n")
        guard text.utf8.contains(feed) else { return text }
        return String(
            decoding: text.utf8.map { $0 == feed ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

/// The handlers that a plugin registers while its init runs, and their tasks.
enum Registrations {
    struct State {
        fileprivate(set) var handlers: [String: bgrun_handler] = [:]
        /// Nil if the plugin does not report them.
        fileprivate(set) var purposes: [Registration]?
        fileprivate var isOpen = false
    }

    private static let state = Monitor(State())

    static func open() { state.change { $0.isOpen = true } }

    /// Ends registration and returns what was registered.
    static func close() -> State {
        state.change { state in
            state.isOpen = false
            return state
        }
    }

    /// The plugin has requested the extension that reports them: without a report it has none.
    static func expect() {
        state.change { state in
            if state.isOpen, state.purposes == nil { state.purposes = [] }
        }
    }

    /// During init, registrations above the limit are ignored. Later ones are reported immediately.
    static func add(_ purpose: Registration) {
        let isOpen = state.change { state in
            let count = state.purposes?.count ?? 0
            if state.isOpen, count < WorkerMessage.Loaded.mostRegistrations {
                state.purposes = (state.purposes ?? []) + [purpose]
            }
            return state.isOpen
        }
        if !isOpen { HostChannel.send(.registered(purpose)) }
    }

    /// `bgrun_host.register_handler`.
    static func register(_ pointer: UnsafePointer<bgrun_handler>?) -> Int32 {
        guard let pointer, Int(pointer.pointee.struct_size) >= MemoryLayout<bgrun_handler>.size,
            pointer.pointee.launch != nil,
            let name = pointer.pointee.name.map(String.init(cString:)),
            isHandlerName(name)
        else { return BGRUN_E_INVALID }
        var handler = pointer.pointee
        handler.name = nil
        return state.change { state in
            guard state.isOpen else { return BGRUN_E_STATE }
            guard state.handlers[name] == nil else { return BGRUN_E_EXISTS }
            state.handlers[name] = handler
            return BGRUN_OK
        }
    }

    private static func isHandlerName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunShims
import Glibc

/// The libraries of one program, each opened once and never closed.
struct Libraries {
    private let interpreter: ForeignInterpreter
    private var handles: [String: UnsafeMutableRawPointer] = [:]

    init(interpreter: ForeignInterpreter) { self.interpreter = interpreter }

    /// The address of a function; opens its library on first use.
    mutating func function(
        _ name: String, in library: String
    ) throws(ForeignFailure) -> UnsafeMutableRawPointer {
        let handle = try open(library)
        _ = dlerror()
        guard let address = dlsym(handle, name) else {
            throw ForeignFailure(
                "library '\(library)' has no function '\(name)': \(LibraryLoader.reason()). Compare "
                    + "the name with the library's header")
        }
        guard bgrun_symbol_is_data(address) == 0 else {
            throw ForeignFailure("'\(name)' in library '\(library)' is data, not a function")
        }
        return address
    }

    private mutating func open(_ library: String) throws(ForeignFailure) -> UnsafeMutableRawPointer
    {
        if let handle = handles[library] { return handle }
        let isPath = library.contains("/")
        let file = isPath ? library.resolved(from: interpreter.directory) : library
        var objection: ForeignInterpreter.Objection?
        do throws(LibraryLoader.Failure) {
            let handle = try LibraryLoader.open(
                file,
                check: { () throws(LibraryLoader.Failure) in
                    objection = isPath ? interpreter.objection(file) : nil
                    if let objection { throw objection }
                },
                isExpired: interpreter.isExpired
            ) {
                interpreter.wait($0)
                interpreter.log(.warning, "library '\(library)' waits to be loaded: \($1)")
            }
            handles[library] = handle
            return handle
        } catch {
            throw ForeignFailure(
                objection != nil
                    ? "library '\(library)' may not be loaded: \(error.reason)"
                    : "library '\(library)' cannot be loaded: \(error.reason). Install the package "
                        + "that has it, or give the path of its file")
        }
    }
}

extension String {
    /// The path, resolved from `directory` if it is relative.
    func resolved(from directory: String) -> String {
        utf8.first == UInt8(ascii: "/") ? self : "\(directory)/\(self)"
    }
}

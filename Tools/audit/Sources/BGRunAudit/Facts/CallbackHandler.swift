// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A method of an app delegate that must call its completion handler.
struct CallbackHandler {
    enum Kind {
        /// didReceiveRemoteNotification with a fetchCompletionHandler
        case push
        /// performFetchWithCompletionHandler
        case fetch
        /// handleEventsForBackgroundURLSession
        case sessionEvents
    }

    let kind: Kind
    let function: Function
    let callback: String

    static func all(in program: Program) -> [CallbackHandler] {
        program.functions(named: "application").compactMap { function in
            let forms: [(String, String, Kind)] = [
                ("didReceiveRemoteNotification", "fetchCompletionHandler", .push),
                ("performFetchWithCompletionHandler", "performFetchWithCompletionHandler", .fetch),
                ("handleEventsForBackgroundURLSession", "completionHandler", .sessionEvents),
            ]
            for (label, callback, kind) in forms
            where function.parameters.contains(where: { $0.label == label }) {
                guard let parameter = function.parameters.first(where: { $0.label == callback })
                else { continue }
                return CallbackHandler(kind: kind, function: function, callback: parameter.name)
            }
            return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import Testing

@testable import BGRunHost

@Suite("Parameters laid over those of a task")
struct ParametersTests {
    @Test("replace keys, and keep the others")
    func merged() {
        #expect(
            Parameters.overlay(#"{"b":3,"c":[1]}"#, on: #"{"a":1,"b":2}"#)
                == #"{"a":1,"b":3,"c":[1]}"#)
        #expect(Parameters.overlay(nil, on: #"{"a":1}"#) == #"{"a":1}"#)
        #expect(Parameters.overlay("[]", on: #"{"a":1}"#) == #"{"a":1}"#)
    }

    @Test("however deep they are nested, the result is an object", arguments: 505...516)
    func deep(_ levels: Int) {
        let text =
            #"{"a":"# + String(repeating: "[", count: levels - 1)
            + String(repeating: "]", count: levels - 1) + "}"
        #expect(Parameters.isObject(Parameters.overlay(text, on: #"{"command":"true"}"#)))
        #expect(JSONValue(text.utf8)?.text ?? text == text)
    }
}

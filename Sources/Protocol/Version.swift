// SPDX-License-Identifier: Apache-2.0

/// The version of this bgrun: host, worker and commands are built together.
package enum Version {
    package static let text = "0.1.0"
}

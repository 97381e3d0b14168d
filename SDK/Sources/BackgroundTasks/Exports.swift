// SPDX-License-Identifier: Apache-2.0

@_exported import BGRunFoundation
@_exported import BGRunPluginRuntime
// Apple's framework re-exports it.
@_exported import Foundation

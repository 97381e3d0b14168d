// SPDX-License-Identifier: Apache-2.0

// `CACurrentMediaTime`; layers are missing.
@_exported import BGRunFoundation

// SPDX-License-Identifier: Apache-2.0

// The only file that an iOS app does not have: all files of the module see the exported module.
@_exported import BGRunURLSession

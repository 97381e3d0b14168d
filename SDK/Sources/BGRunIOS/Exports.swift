// SPDX-License-Identifier: Apache-2.0

// The symbols that files with `import Foundation` can use on iOS. A target imports this module into
// each of its files with "-import-module BGRunIOS".
@_exported import BGRunFoundation
@_exported import BGRunURLSession
@_exported import FoundationXML

// SPDX-License-Identifier: Apache-2.0

/// One problem of a manifest.
package struct Diagnostic: Hashable, Sendable {
    package enum Severity: String, Sendable {
        /// The manifest cannot be used.
        case error
        /// The manifest can be used, but probably does not do what the author meant.
        case warning
    }

    package var severity: Severity
    package var code: DiagnosticCode
    /// The manifest file, as given.
    var file: String
    /// The start of the problem; nil if it concerns the whole file, for example an unreadable one.
    package var mark: SourceMark?
    /// The column after the last affected character; nil if the problem continues past its line.
    package var endColumn: Int?
    /// The line to show; nil without a mark.
    package var snippet: Snippet?
    /// The problem, one sentence without a full stop.
    package var message: String
    /// The remedy.
    package var remedy: String

    package init(
        severity: Severity, code: DiagnosticCode, file: String, mark: SourceMark?,
        endColumn: Int? = nil, snippet: Snippet? = nil, message: String, remedy: String
    ) {
        self.severity = severity
        self.code = code
        self.file = file
        self.mark = mark
        self.endColumn = endColumn
        self.snippet = snippet
        self.message = message
        self.remedy = remedy
    }
}

/// The stable name of a kind of problem, for scripts and for Docs/manifest.md.
package enum DiagnosticCode: String, Sendable, CaseIterable {
    // The file
    case unreadableFile = "unreadable-file"
    case untrustedFile = "untrusted-file"
    case fileTooLarge = "file-too-large"
    case invalidUTF8 = "invalid-utf8"
    case controlCharacter = "control-character"
    case emptyFile = "empty-file"
    case tooManyProblems = "too-many-problems"

    // YAML
    case syntax = "syntax"
    case severalDocuments = "several-documents"
    case tooDeep = "too-deep"
    case tooManyValues = "too-many-values"
    case unknownAlias = "unknown-alias"
    case cyclicAlias = "cyclic-alias"
    case duplicateKey = "duplicate-key"
    case keyNotText = "key-not-text"
    case unknownTag = "unknown-tag"
    case badMerge = "bad-merge"

    // Keys and values
    case unknownKey = "unknown-key"
    case missingKey = "missing-key"
    case wrongType = "wrong-type"
    case unknownWord = "unknown-word"
    case missingUnit = "missing-unit"
    case badDuration = "bad-duration"
    case badSize = "bad-size"
    case badPercentage = "bad-percentage"
    case outOfRange = "out-of-range"
    case nulCharacter = "nul-character"
    case badName = "bad-name"
    case badPath = "bad-path"
    case missingFile = "missing-file"
    case badDigest = "bad-digest"
    case duplicateEntry = "duplicate-entry"
    case noJSONForm = "no-json-form"
    case ambiguousValue = "ambiguous-value"

    // The app
    case unsupportedVersion = "unsupported-version"
    case badIdentifier = "bad-identifier"
    case unusedIdentifier = "unused-identifier"
    case foreignIdentifier = "foreign-identifier"
    case unknownAccount = "unknown-account"
    case unknownPlugin = "unknown-plugin"
    case unknownShippedPlugin = "unknown-shipped-plugin"
    case unusedPlugin = "unused-plugin"
    case noTasks = "no-tasks"

    // Tasks
    case notPermitted = "not-permitted"
    case missingMode = "missing-mode"
    case badHandler = "bad-handler"
    case unknownHandler = "unknown-handler"
    case unknownParameter = "unknown-parameter"
    case badParameter = "bad-parameter"
    case notOneAction = "not-one-action"
    case wildcardLaunch = "wildcard-launch"
    case processingOnly = "processing-only"
    case continuedSchedule = "continued-schedule"
    case continuedOnly = "continued-only"
    case tooManyAtLaunch = "too-many-at-launch"
    case notOneSchedule = "not-one-schedule"
    case badSchedule = "bad-schedule"
    case pastSchedule = "past-schedule"
    case unknownZone = "unknown-zone"
    case badSocket = "bad-socket"
    case calendarOnly = "calendar-only"
    case longStep = "long-step"
    case plainTilde = "plain-tilde"
    case skippedHour = "skipped-hour"
    case everyUnderSpacing = "every-under-spacing"
    case earliestUnderSpacing = "earliest-under-spacing"
    case longRefresh = "long-refresh"
    case graceOverMaximum = "grace-over-maximum"
    case fromOverTo = "from-over-to"
    case farEarliest = "far-earliest"
    case unusedParameters = "unused-parameters"
    case badVariables = "bad-variables"

    // Confinement
    case wideGrant = "wide-grant"
    case unusedConfinement = "unused-confinement"

    // Hooks
    case notOneHookAction = "not-one-hook-action"
    case badAddress = "bad-address"
    case plainAddress = "plain-address"
    case uselessKey = "useless-key"
    case unknownTask = "unknown-task"

    // Transfers
    case notOneDirection = "not-one-direction"
    case badHeader = "bad-header"
    case notPrivate = "not-private"
    case notVerified = "not-verified"

    // Foreign calls
    case unknownType = "unknown-type"
    case missingType = "missing-type"
    case notOneValue = "not-one-value"
    case duplicateName = "duplicate-name"
    case unknownName = "unknown-name"
    case badCall = "bad-call"
    case badLibrary = "bad-library"
    case missingFunction = "missing-function"

    // The machine
    case missingLayer = "missing-layer"
}

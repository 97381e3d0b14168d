// SPDX-License-Identifier: Apache-2.0

/// Every rule, in the order of the documentation: declare, register, schedule, handle, transfer.
public let allRules: [any Rule.Type] = [
    IdentifierNotListed.self,
    ModeMissing.self,

    RegisteredLate.self,
    RegisteredTwice.self,
    NoHandlerRegistered.self,
    KindMismatch.self,
    StrongSelf.self,
    OnlyInSomeBuilds.self,
    PrivateDebugMethod.self,

    EarliestUnder15Minutes.self,
    EarliestBeyondAWeek.self,
    SubmitErrorIgnored.self,
    NoSuchStrategy.self,
    SupportedResourcesIsStatic.self,
    NotRescheduled.self,
    ScheduledAfterCompletion.self,

    CompletionOnEveryPath.self,
    CompletedTwice.self,
    CompletedBeforeWork.self,
    ExpirationHandlerMissing.self,
    ExpirationHandlerLate.self,
    ExpirationDoesNotCancel.self,
    SuccessAtExpiry.self,
    LoopIgnoresCancellation.self,
    BlockingWork.self,
    WorkOnMainQueue.self,
    ReliesOnTime.self,
    ContinuedWithoutProgress.self,

    FetchCompletionOnEveryPath.self,
    AssertionNotEnded.self,
    SessionWithoutDelegate.self,
    DownloadNotMoved.self,
    SessionEventsNotFinished.self,

    UnusedSuppression.self,
]

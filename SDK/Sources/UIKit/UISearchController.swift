// SPDX-License-Identifier: Apache-2.0

public import Foundation

// A search without input: no delegate is called.

/// Shows the results of a search.
@preconcurrency @MainActor
open class UISearchController: UIViewController {
    open weak var searchResultsUpdater: (any UISearchResultsUpdating)?
    open weak var delegate: (any UISearchControllerDelegate)?
    open lazy var searchBar = UISearchBar()
    open var isActive = false
    open var obscuresBackgroundDuringPresentation = true
    open var hidesNavigationBarDuringPresentation = true
    open var automaticallyShowsCancelButton = true
    open var automaticallyShowsScopeBar = true
    public let searchResultsController: UIViewController?

    public init(searchResultsController: UIViewController?) {
        self.searchResultsController = searchResultsController
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        nil
    }
}

/// Would be notified of changes of the search text.
@preconcurrency @MainActor
public protocol UISearchResultsUpdating: NSObjectProtocol {
    func updateSearchResults(for searchController: UISearchController)
}

/// Would be notified of the start and end of a search.
@preconcurrency @MainActor
public protocol UISearchControllerDelegate: NSObjectProtocol {}

/// A field for the text of a search.
@preconcurrency @MainActor
open class UISearchBar: UIView {
    /// The prominence of the field.
    public enum Style: UInt, Sendable {
        case `default`, prominent, minimal
    }

    open var text: String?
    open var placeholder: String?
    open var prompt: String?
    open weak var delegate: (any UISearchBarDelegate)?
    open var scopeButtonTitles: [String]?
    open var selectedScopeButtonIndex = 0
    open var showsCancelButton = false
    open var showsScopeBar = false
    open var searchBarStyle = Style.default
    open var barTintColor: UIColor?
    open var returnKeyType = UIReturnKeyType.search
    open var keyboardType = UIKeyboardType.default
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
    open var autocorrectionType = UITextAutocorrectionType.default
    open lazy var searchTextField = UITextField()

    open func setShowsCancelButton(_ showsCancelButton: Bool, animated: Bool) {
        self.showsCancelButton = showsCancelButton
    }
}

/// Would be notified of input and taps.
@preconcurrency @MainActor
public protocol UISearchBarDelegate: NSObjectProtocol {}

//: task com.example.journal.sync app-refresh
//: run
//: ends com.example.journal.sync completed
//: says Synced 2 entries
//: says The banner is hidden
//: says No key window

import BackgroundTasks
import UIKit

final class Journal {
    nonisolated(unsafe) static let shared = Journal()
    private let lock = NSLock()
    private var stored: [String] = []

    var entries: [String] {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}

final class BadgeView: UIView {
    var value = 0 {
        didSet {
            setNeedsDisplay()
            invalidateIntrinsicContentSize()
        }
    }

    override init(frame: CGRect) {
        super.init(frame: frame)
        layer.cornerRadius = 8
        layer.borderColor = UIColor.systemRed.cgColor
        layer.shadowColor = UIColor.black.cgColor
        layer.maskedCorners = [.layerMinXMinYCorner, .layerMaxXMinYCorner]
        addGestureRecognizer(UITapGestureRecognizer(target: nil, action: nil))
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override func awakeFromNib() {
        super.awakeFromNib()
        backgroundColor = UIColor { traits in
            traits.userInterfaceStyle == .dark ? .black : .white
        }
    }

    override var intrinsicContentSize: CGSize { CGSize(width: 44, height: 20) }
    override var canBecomeFirstResponder: Bool { true }

    override func draw(_ rect: CGRect) {
        UIColor.systemRed.setFill()
        UIBezierPath(roundedRect: rect, cornerRadius: 8).fill()
    }
}

final class EntryViewController: UIViewController, UITextFieldDelegate {
    private let badge = BadgeView()
    private let label = UILabel()
    private let field = UITextField()
    private let text = UITextView()
    private let picker = UIDatePicker()
    private let banner = UIView()

    init() {
        super.init(nibName: nil, bundle: nil)
        isModalInPresentation = true
    }

    required init?(coder: NSCoder) {
        fatalError("init(coder:) has not been implemented")
    }

    override var prefersStatusBarHidden: Bool { true }
    override var preferredStatusBarStyle: UIStatusBarStyle { .lightContent }

    override func viewDidLoad() {
        super.viewDidLoad()
        label.attributedText = NSAttributedString(
            string: "Today",
            attributes: [
                .font: UIFont.boldSystemFont(ofSize: 20), .foregroundColor: UIColor.label,
            ])
        label.sizeToFit()
        field.returnKeyType = .done
        field.delegate = self
        picker.datePickerMode = .time
        picker.preferredDatePickerStyle = .compact
        picker.addAction(UIAction { _ in }, for: .valueChanged)
        let menu = UIMenu(
            title: "Sort",
            children: [
                UIAction(title: "Date", image: UIImage(systemName: "calendar"), state: .on) { _ in }
            ])
        let button = UIButton(type: .system)
        button.menu = menu
        button.showsMenuAsPrimaryAction = true
        view.addSubview(badge)
        _ = NotificationCenter.default.addObserver(
            forName: UIResponder.keyboardWillShowNotification, object: nil, queue: .main
        ) { note in
            _ = note.userInfo?[UIResponder.keyboardFrameEndUserInfoKey] as? CGRect
        }
        _ = NotificationCenter.default.addObserver(
            forName: UIDevice.orientationDidChangeNotification, object: nil, queue: .main
        ) { _ in }
    }

    override func viewIsAppearing(_ animated: Bool) {
        super.viewIsAppearing(animated)
        text.scrollRangeToVisible(NSRange(location: 0, length: 1))
        UISelectionFeedbackGenerator().selectionChanged()
    }

    override func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {
        super.traitCollectionDidChange(previousTraitCollection)
        if traitCollection.hasDifferentColorAppearance(comparedTo: previousTraitCollection) {
            view.setNeedsLayout()
        }
    }

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        (segue.destination as? EntriesViewController)?.title = "Entries"
    }

    override func didMove(toParent parent: UIViewController?) {
        super.didMove(toParent: parent)
        view.endEditing(true)
    }

    func textFieldShouldReturn(_ textField: UITextField) -> Bool {
        textField.resignFirstResponder()
        return true
    }

    func hideBanner() {
        UIView.animate(
            withDuration: 0.3, delay: 0.1, options: [.curveEaseOut, .allowUserInteraction],
            animations: { self.banner.alpha = 0 },
            completion: { _ in print(self.banner.alpha == 0 ? "The banner is hidden" : "?") })
        UIView.transition(with: banner, duration: 0.2, options: .transitionCrossDissolve) {
            self.banner.isHidden = true
        }
    }
}

final class EntriesViewController: UITableViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        tableView.separatorStyle = .none
        tableView.performBatchUpdates({
            self.tableView.insertRows(at: [IndexPath(row: 0, section: 0)], with: .automatic)
        })
    }

    override func tableView(
        _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
        let cell = UITableViewCell()
        cell.textLabel?.text = Journal.shared.entries[indexPath.row]
        return cell
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        application.shortcutItems = [
            UIApplicationShortcutItem(
                type: "new", localizedTitle: "New Entry", localizedSubtitle: nil,
                icon: UIApplicationShortcutIcon(systemImageName: "plus"))
        ]
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.journal.sync", using: .main
        ) { task in
            Journal.shared.entries = ["First", "Second"]
            print("Synced \(Journal.shared.entries.count) entries")
            MainActor.assumeIsolated {
                let controller = EntryViewController()
                controller.hideBanner()
                let keyWindow = UIApplication.shared.connectedScenes
                    .flatMap { ($0 as? UIWindowScene)?.windows ?? [] }
                    .first { $0.isKeyWindow }
                print(keyWindow == nil ? "No key window" : "A key window")
            }
            task.setTaskCompleted(success: true)
        }
        return true
    }
}

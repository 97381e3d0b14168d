//: task com.example.alarm.plan app-refresh
//: run
//: ends com.example.alarm.plan completed
//: says 3 ticks
//: says com.example.alarm.other is refused: 3 NSLocalizedDescription
//: shows Wake up

import BackgroundTasks
import Combine
import UIKit
import UserNotifications

@MainActor
final class AlarmModel {
    let minutes = Array(stride(from: 0, to: 60, by: 5))
    private var cancellables: Set<AnyCancellable> = []

    func countTicks(completion: @escaping (Int) -> Void) {
        Timer.TimerPublisher(interval: 0.01, runLoop: .main, mode: .common)
            .autoconnect()
            .prefix(3)
            .count()
            .sink { completion($0) }
            .store(in: &cancellables)
    }

    func ring() {
        let content = UNMutableNotificationContent()
        content.title = "Wake up"
        content.sound = .defaultRingtone
        let image = FileManager.default.temporaryDirectory.appendingPathComponent("alarm")
        try? Data().write(to: image)
        if let attachment = try? UNNotificationAttachment(
            identifier: "alarm", url: image,
            options: [
                UNNotificationAttachmentOptionsTypeHintKey: "public.png",
                UNNotificationAttachmentOptionsThumbnailHiddenKey: false,
            ])
        {
            content.attachments = [attachment]
        }
        UNUserNotificationCenter.current().add(
            UNNotificationRequest(identifier: "alarm", content: content, trigger: nil))
    }

    func schedule(_ identifier: String) {
        do {
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: identifier))
        } catch let error as BGTaskScheduler.Error {
            print("\(identifier) is refused: \(error.errorCode) \(error.userInfo.keys.joined())")
        } catch {
            print(error)
        }
    }
}

final class AlarmViewController: UIViewController, UIPickerViewDataSource, UIPickerViewDelegate {
    private let model: AlarmModel
    private let picker = UIPickerView()

    init(model: AlarmModel) {
        self.model = model
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }

    override func viewDidLoad() {
        super.viewDidLoad()
        picker.dataSource = self
        picker.delegate = self
        picker.selectRow(6, inComponent: 0, animated: false)
        view.addSubview(picker)
        let ring = UIAction(title: "Ring", image: UIImage(systemName: "alarm")) { [model] _ in
            model.ring()
        }
        let menu = UIBarButtonItem(
            image: UIImage(systemName: "ellipsis"), menu: UIMenu(children: [ring]))
        menu.tintColor = .systemOrange
        navigationItem.rightBarButtonItems = [menu, UIBarButtonItem(primaryAction: ring)]
        setToolbarItems(
            [.flexibleSpace(), UIBarButtonItem(systemItem: .add, primaryAction: ring, menu: nil)],
            animated: false)
        setNeedsUpdateContentUnavailableConfiguration()
    }

    override func updateContentUnavailableConfiguration(
        using state: UIContentUnavailableConfigurationState
    ) {
        guard model.minutes.isEmpty else {
            contentUnavailableConfiguration = nil
            return
        }
        var configuration = UIContentUnavailableConfiguration.empty()
        configuration.image = UIImage(systemName: "alarm")
        configuration.text = "No Alarms"
        configuration.secondaryText = "Add one with the button."
        configuration.button.title = "Add"
        configuration.buttonProperties.primaryAction = UIAction { _ in print("add") }
        contentUnavailableConfiguration = configuration
    }

    func numberOfComponents(in pickerView: UIPickerView) -> Int { 1 }

    func pickerView(_ pickerView: UIPickerView, numberOfRowsInComponent component: Int) -> Int {
        model.minutes.count
    }

    func pickerView(_ pickerView: UIPickerView, titleForRow row: Int, forComponent component: Int)
        -> String?
    {
        "\(model.minutes[row]) min"
    }

    func pickerView(_ pickerView: UIPickerView, didSelectRow row: Int, inComponent component: Int) {
        print(
            "selected \(model.minutes[row]), was \(pickerView.selectedRow(inComponent: component))")
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private let model = AlarmModel()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.alarm.plan", using: .main
        ) { [model] task in
            model.schedule("com.example.alarm.other")
            model.ring()
            model.countTicks { count in
                print("\(count) ticks")
                task.setTaskCompleted(success: true)
            }
        }
        window = UIWindow()
        window?.rootViewController = UINavigationController(
            rootViewController: AlarmViewController(model: model))
        window?.makeKeyAndVisible()
        return true
    }
}

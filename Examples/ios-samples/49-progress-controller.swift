//: task com.example.render.video continued
//: submit com.example.render.video
//: run
//: ends com.example.render.video completed
//: says Rendered 100%

import BackgroundTasks
import UIKit

final class RenderViewController: UIViewController {
    private let progressView = UIProgressView(progressViewStyle: .default)
    private let statusLabel = UILabel()
    private lazy var startButton: UIButton = {
        var configuration = UIButton.Configuration.filled()
        configuration.title = "Render"
        configuration.image = UIImage(systemName: "film")
        let button = UIButton(
            configuration: configuration,
            primaryAction: UIAction(title: "Render") { [weak self] _ in
                self?.start()
            })
        button.isEnabled = true
        return button
    }()
    private let stack = UIStackView()
    private let imageView = UIImageView(image: UIImage(systemName: "photo"))
    private let slider = UISlider()
    private let toggle = UISwitch()
    private let field = UITextField()

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        stack.axis = .vertical
        stack.spacing = 12
        stack.alignment = .fill
        stack.distribution = .equalSpacing
        statusLabel.text = "Idle"
        statusLabel.textAlignment = .center
        statusLabel.numberOfLines = 0
        statusLabel.font = UIFont.systemFont(ofSize: 17, weight: .semibold)
        statusLabel.textColor = .secondaryLabel
        imageView.contentMode = .scaleAspectFit
        imageView.layer.cornerRadius = 8
        imageView.clipsToBounds = true
        field.placeholder = "Title"
        field.borderStyle = .roundedRect
        field.delegate = self
        [statusLabel, imageView, progressView, slider, toggle, field, startButton].forEach(
            stack.addArrangedSubview)
        view.addSubview(stack)
        stack.translatesAutoresizingMaskIntoConstraints = false
        let guide = view.safeAreaLayoutGuide
        NSLayoutConstraint.activate([
            stack.leadingAnchor.constraint(equalTo: guide.leadingAnchor, constant: 16),
            stack.trailingAnchor.constraint(equalTo: guide.trailingAnchor, constant: -16),
            stack.topAnchor.constraint(equalTo: guide.topAnchor),
            stack.bottomAnchor.constraint(lessThanOrEqualTo: guide.bottomAnchor),
        ])
    }

    func start() {
        let request = BGContinuedProcessingTaskRequest(
            identifier: "com.example.render.video", title: "Rendering", subtitle: "Starting")
        request.strategy = .queue
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            let alert = UIAlertController(
                title: "Error", message: error.localizedDescription, preferredStyle: .actionSheet)
            alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { _ in })
            present(alert, animated: true, completion: nil)
        }
    }

    func update(_ fraction: Float) {
        progressView.setProgress(fraction, animated: true)
        UIView.animate(withDuration: 0.3) {
            self.statusLabel.alpha = 1
        }
        if fraction >= 1 {
            UINotificationFeedbackGenerator().notificationOccurred(.success)
        }
    }
}

extension RenderViewController: UITextFieldDelegate {
    func textFieldShouldReturn(_ textField: UITextField) -> Bool {
        textField.resignFirstResponder()
        return true
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let window = UIWindow(frame: UIScreen.main.bounds)
        window.rootViewController = RenderViewController()
        window.makeKeyAndVisible()
        self.window = window

        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.render.video", using: nil
        ) { task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            var shouldContinue = true
            task.expirationHandler = { shouldContinue = false }
            task.progress.totalUnitCount = 100
            while shouldContinue && !task.progress.isFinished {
                task.progress.completedUnitCount += 10
                let formatted = String(format: "%.0f", task.progress.fractionCompleted * 100)
                task.updateTitle(task.title, subtitle: "Completed \(formatted)%")
                Thread.sleep(forTimeInterval: 0.005)
            }
            print("Rendered \(Int(task.progress.fractionCompleted * 100))%")
            task.setTaskCompleted(success: task.progress.isFinished)
        }
        return true
    }
}

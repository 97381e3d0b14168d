// SPDX-License-Identifier: Apache-2.0

/// A wheel for each component. No method of its data source or its delegate is called.
@preconcurrency @MainActor
open class UIPickerView: UIView {
    open weak var dataSource: (any UIPickerViewDataSource)?
    open weak var delegate: (any UIPickerViewDelegate)?
    private var selected: [Int: Int] = [:]

    open func reloadAllComponents() {}
    open func reloadComponent(_ component: Int) {}

    open func selectRow(_ row: Int, inComponent component: Int, animated: Bool) {
        selected[component] = row
    }

    /// The row of the last `selectRow`; otherwise 0.
    open func selectedRow(inComponent component: Int) -> Int { selected[component] ?? 0 }
}

/// Would provide the number of values.
@preconcurrency @MainActor
public protocol UIPickerViewDataSource: AnyObject {
    func numberOfComponents(in pickerView: UIPickerView) -> Int
    func pickerView(_ pickerView: UIPickerView, numberOfRowsInComponent component: Int) -> Int
}

/// Would provide the titles of values.
@preconcurrency @MainActor
public protocol UIPickerViewDelegate: AnyObject {
    func pickerView(
        _ pickerView: UIPickerView, titleForRow row: Int, forComponent component: Int
    ) -> String?
    func pickerView(_ pickerView: UIPickerView, didSelectRow row: Int, inComponent component: Int)
}

extension UIPickerViewDelegate {
    public func pickerView(
        _ pickerView: UIPickerView, titleForRow row: Int, forComponent component: Int
    ) -> String? { nil }
    public func pickerView(
        _ pickerView: UIPickerView, didSelectRow row: Int, inComponent component: Int
    ) {}
}

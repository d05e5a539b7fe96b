#pragma once

#include <purview/tensor/tensor.hpp>

#include <complex>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1 {

/// An element type that safetensors files have here: bool, an integer, float16, bfloat16, float32, float64 or
/// complex64.
template <typename T>
concept SafetensorsElement =
    BuiltinType<T> || std::same_as<T, std::complex<float>> || kElementName<T>
== "float16" || kElementName<T> == "bfloat16";

/// What a file says of itself, `__metadata__`: texts by name.
using SafetensorsMetadata = std::map<std::string, std::string, std::less<>>;

/// What a safetensors file says of an array.
struct SafetensorsEntry {
    std::string name;
    std::string type; ///< as the file writes it: `BF16`
    Shape shape;
    index_t offset = 0; ///< of its elements, in bytes from the start of the file
    index_t bytes = 0;  ///< that they take
};

/// The arrays of a safetensors file, by name. A handle; copies share the mapping, which is closed with the last of them
/// and of the tensors over it. May be used from several threads.
class PURVIEW_EXPORT SafetensorsFile {
public:
    /// Opens a file: see `open_safetensors`.
    explicit SafetensorsFile(const std::string& path);

    /// The arrays in the order in which they lie in the file.
    const std::vector<SafetensorsEntry>& entries() const noexcept;
    auto begin() const noexcept { return entries().begin(); }
    auto end() const noexcept { return entries().end(); }
    index_t size() const noexcept { return std::ssize(entries()); }
    /// Their names, in the same order.
    std::vector<std::string> names() const;
    bool contains(std::string_view name) const;
    const SafetensorsMetadata& metadata() const noexcept;

    /// The array of a name, a read-only tensor over the mapped file: O(log size()), nothing is read. Elements may have any
    /// alignment. Throws `IndexError` where there is none, `DtypeError` naming path, array and type for types that
    /// Purview does not have (`F8_E4M3`, …).
    AnyTensor operator[](std::string_view name) const { return array(name, {}); }
    /// The array of a name with its static type. Throws as `operator[]` does, and `DtypeError` for elements of another
    /// type.
    template <SafetensorsElement T>
    Tensor<T> get(std::string_view name) const {
        return Tensor<T>(array(name, kDType<T>).operand());
    }

private:
    AnyTensor array(std::string_view name, std::optional<DType> dtype) const;

    struct State;
    std::shared_ptr<const State> state_;
};

/// `open_safetensors(path)`: the arrays of a file in the format of models on Hugging Face
/// (https://huggingface.co/docs/safetensors), mapped. O(header); elements are read when they are touched. If the file
/// is truncated meanwhile, touching a page that is gone ends the process, as of any mapped file (`Access`).
///
/// The file is checked whole: throws `FormatError` naming the path, and the array where it is one, for a header of more
/// than 100 MB or that the file is too short for, for JSON that is none or has other types or a name twice, and for
/// arrays that do not fit their shapes, overlap, or leave bytes of the file to none.
PURVIEW_EXPORT SafetensorsFile open_safetensors(const std::string& path);

} // namespace purview

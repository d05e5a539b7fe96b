// Texts of Python as elements, UTF-8 in std::string, and back.

#include "texts.hpp"

#include "computing.hpp"
#include "copies.hpp"
#include "errors.hpp"
#include "text_caster.hpp"

#include <purview/base/errors.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/tensor/create.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

void append_utf8(std::string& text, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code >= 0xDC80 && code < 0xDD00) return add(code & 0xFF); // a byte that is no UTF-8
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        throw pv::FormatError("asarray: text has the code point " + std::to_string(code) +
                              ", which UTF-8 lacks");
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            add(0xE0 | code >> 12);
        } else {
            add(0xF0 | code >> 18);
            add(0x80 | (code >> 12 & 0x3F));
        }
        add(0x80 | (code >> 6 & 0x3F));
    }
    add(0x80 | (code & 0x3F));
}

nb::object text_to_python(const std::string& text) {
    PyObject* const object = text_of_bytes(text);
    if (object == nullptr) throw nb::python_error();
    return nb::steal(object);
}

nb::object list_of(const std::string*& next, pv::ShapeSpan shape) {
    if (shape.empty()) return text_to_python(*next++);
    nb::list list;
    for (pv::index_t i = 0; i < shape[0]; ++i) list.append(list_of(next, shape.subspan(1)));
    return list;
}

} // namespace

std::string text_of(nb::handle object) {
    std::string bytes;
    if (!get_bytes_of_text(bytes, object.ptr())) throw nb::python_error();
    return bytes;
}

bool is_text(pv::DType dtype) { return dtype == pv::kDType<std::string>; }

pv::Operand text_operand(nb::handle text) { return pv::constant_operand(text_of(text)); }

Array array_of_texts(pv::ShapeSpan shape, const std::vector<nb::object>& texts) {
    const pv::MutableTensor<std::string> result =
        pv::empty<std::string>(pv::AxisValues(pv::to_shape(shape)));
    std::string* out = result.size() > 0 ? result.data() : nullptr;
    for (const nb::object& each : texts) {
        if (!nb::isinstance<nb::str>(each))
            throw nb::type_error(("asarray: no text among texts: " + message_text(each)).c_str());
        *out++ = text_of(each);
    }
    return result;
}

Array array_of_code_points(pv::MemoryDescriptor memory, pv::index_t width,
                           std::shared_ptr<const void> owner) {
    const pv::Shape shape = memory.shape;
    memory.dtype = pv::uint32;
    memory.shape.push_back(width);
    memory.strides.push_back(4);
    const Array codes = realised(pv::wrap_described(memory, std::move(owner)));
    const pv::MutableTensor<std::string> result = pv::empty<std::string>(pv::AxisValues(shape));
    computing(codes.size(), [&] {
        if (result.size() == 0) return;
        const auto* code = static_cast<const std::uint32_t*>(
            codes.size() > 0 ? pv::describe(codes).pointer : nullptr);
        std::string* out = result.data();
        for (pv::index_t i = 0; i < result.size(); ++i, code += width) {
            pv::index_t length = width; // zeros at the end are none of the text
            while (length > 0 && code[length - 1] == 0) --length;
            for (pv::index_t k = 0; k < length; ++k) append_utf8(out[i], code[k]);
        }
    });
    return result;
}

nb::object texts_to_python(const Array& x) {
    const Array memory = realised(x);
    const std::string* next =
        x.size() > 0 ? pv::Tensor<std::string>(memory.operand()).data() : nullptr;
    return list_of(next, x.dimensions().max_shape());
}

} // namespace purview_python

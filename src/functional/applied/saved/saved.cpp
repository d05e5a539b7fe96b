#include <purview/functional/applied/saved.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>

#include "expression/node_map.hpp"
#include "functional/applied/saved/read_graph.hpp"
#include "functional/applied/saved/tokens_in_bytes.hpp"
#include "functional/applied/saved/tokens_in_text.hpp"
#include "functional/applied/saved/write_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace purview::inline v0_1 {
namespace {

/// The lowest version that has all that is used.
std::uint32_t version_of(std::span<const TracedOutputs> programs) {
    std::uint32_t version = 1;
    for (const TracedOutputs& program : programs)
        for (const Node* const node : nodes_below(program.outputs)) {
            const auto* const stage = node_as<OpaqueStage>(*node);
            if (stage != nullptr && stage->function().attributes()) version = 3;
            if (node->kind() == NodeKind::loop || node->kind() == NodeKind::choice)
                version = std::max(version, 2U);
        }
    return version;
}

template <typename Out>
std::string written(const char* what, const TracedFunction& function, const SaveOptions& options) {
    const std::vector<TracedOutputs> programs = function.traced();
    Out out(version_of(programs));
    saved::GraphWriter<Out>(what, out, options).write(function.arguments(), programs);
    return out.take();
}
template <typename In>
AnyComputation read(std::string_view given, const LoadOptions& options) {
    In in(given);
    return AnyComputation(saved::GraphReader<In>(in, options.places).read());
}

/// The symbols that own values, variables and persistent ones, of all programs.
std::vector<NodePtr> kept_symbols(const TracedFunction& function) {
    std::vector<NodePtr> found;
    NodeSet seen;
    for (const TracedOutputs& program : function.traced())
        for (const Node* const node : nodes_below(program.outputs)) {
            const auto* const symbol = node_as<SymbolNode>(*node);
            if (symbol != nullptr && flags_of(symbol->role()).persistent &&
                symbol->role() != Role::constant && seen.insert(node))
                found.emplace_back(node);
        }
    return found;
}

} // namespace

std::string computation_bytes(const TracedFunction& function, const SaveOptions& options) {
    return written<saved::BytesWriter>("computation_bytes", function, options);
}
std::string computation_text(const TracedFunction& function, const SaveOptions& options) {
    return written<saved::TextWriter>("computation_text", function, options);
}

void save_computation(const std::string& path, const TracedFunction& function,
                      const SaveOptions& options) {
    const std::string bytes = written<saved::BytesWriter>("save_computation", function, options);
    const std::string part = path + ".part";
    const auto refuse = [&](const std::string& why) {
        throw FormatError(fmt::format("save_computation: '{}' cannot be written: {}", path, why));
    };
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) refuse("it is a folder");
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    if (!out) refuse(std::strerror(errno));
    out.write(bytes.data(), std::ssize(bytes));
    out.close();
    std::string why;
    if (!out)
        why = std::strerror(errno);
    else if (std::filesystem::rename(part, path, error); error)
        why = error.message();
    if (why.empty()) return;
    std::filesystem::remove(part, error);
    refuse(why);
}

AnyComputation computation_from(std::string_view given, const LoadOptions& options) {
    if (saved::BytesReader::is_this(given)) return read<saved::BytesReader>(given, options);
    if (saved::TextReader::is_this(given)) return read<saved::TextReader>(given, options);
    throw FormatError("computation: this was not saved as a computation");
}

AnyComputation load_computation(const std::string& path, const LoadOptions& options) {
    std::string bytes;
    bool is_read = false;
    try {
        std::ifstream in(path, std::ios::binary);
        if (in) bytes.assign(std::istreambuf_iterator<char>(in), {});
        is_read = in && !in.bad();
    } catch (const std::ios_base::failure&) { // as of a folder
    }
    if (!is_read) throw FormatError(fmt::format("load_computation: '{}' cannot be read", path));
    try {
        return computation_from(bytes, options);
    } catch (const FormatError& error) {
        throw FormatError(fmt::format("'{}': {}", path, error.what()));
    }
}

std::size_t AnyComputation::argument_count() const noexcept {
    return function_->arguments().size();
}
const ArgumentSpec& AnyComputation::argument(std::size_t i) const {
    if (i >= argument_count())
        throw IndexError(fmt::format("argument: {} of {}", i, argument_count()));
    return function_->arguments()[i];
}
std::size_t AnyComputation::output_count() const noexcept {
    const std::vector<TracedOutputs> programs = function_->traced();
    return programs.empty() ? 0 : programs[0].outputs.size();
}

std::vector<AnyTensor> AnyComputation::operator()(const std::vector<AnyTensor>& inputs) const {
    std::vector<const Operand*> bindings;
    for (const AnyTensor& input : inputs) bindings.push_back(&input.operand());
    std::shared_ptr<const Program> keep;
    const Program& program = function_->program_for(bindings, keep);
    std::vector<AnyTensor> results;
    for (std::size_t k = 0; k < program.output_count(); ++k)
        results.push_back(AnyTensor::writable(program.new_output(k, bindings)));
    std::vector<Destination> places;
    for (const AnyTensor& result : results) places.emplace_back(result.operand());
    program.run(bindings, places);
    return results;
}

std::vector<AnySymbol> AnyComputation::variables() const {
    return symbols_of(function_->variables());
}

AnySymbol AnyComputation::symbol(std::string_view name) const {
    std::string known;
    for (NodePtr& node : kept_symbols(*function_)) {
        const auto& symbol = static_cast<const SymbolNode&>(*node);
        if (symbol.name().empty()) continue;
        if (symbol.name() == name)
            return AnySymbol(Operand{node, Dimensions::row_major(symbol.shape())});
        known += (known.empty() ? "" : ", ") + symbol.name();
    }
    throw SymbolError(fmt::format("symbol: there is none of the name '{}', but: {}", name, known));
}

void AnyComputation::check(const std::vector<DType>& arguments,
                           const std::vector<OutputSpec>& outputs) const {
    const auto refuse = [](const char* what, std::size_t i, DType own, DType asked) {
        throw DtypeError(
            fmt::format("as: {} {} is of type {}, not {}", what, i, own.name(), asked.name()));
    };
    if (arguments.size() != argument_count())
        throw ShapeError(
            fmt::format("as: there are {} arguments, not {}", argument_count(), arguments.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (argument(i).dtype != arguments[i])
            refuse("argument", i, argument(i).dtype, arguments[i]);
    for (const TracedOutputs& program : function_->traced()) {
        if (program.outputs.size() != outputs.size())
            throw ShapeError(fmt::format("as: there are {} outputs, not {}", program.outputs.size(),
                                         outputs.size()));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Operand& own = program.outputs[i];
            if (own.dtype() != outputs[i].dtype) refuse("output", i, own.dtype(), outputs[i].dtype);
            if (outputs[i].is_number && own.dims.rank() != 0)
                throw ShapeError(fmt::format("as: output {} has shape {}, and is no number", i,
                                             to_string(own.dims.max_shape())));
        }
    }
}

} // namespace purview

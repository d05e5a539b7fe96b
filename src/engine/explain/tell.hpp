#pragma once

#include <purview/evaluation/work.hpp>

#include <string>

namespace purview::inline v0_1::engine {

/// The texts of `explain_assignment`, `explain_reduction`, `explain_scan` and `explain_sort` where
/// no other backend does the work.
std::string tell_assignment(const Operand& source, const Operand& destination);
std::string tell_reduction(const char* what, const work::Fold& fold, const Operand& source);
std::string tell_scan(const char* what, const work::Scan& scan, const Operand& source);
std::string tell_sort(const char* what, const work::Sort& sort, const Operand& source);

} // namespace purview::engine

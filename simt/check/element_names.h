#pragma once

// What reports call a place in an array or an allocation.

#include <simt/array_shape.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace simt::check {

// Of what the pointer points to, without the dimensions of arrays; 0: not known.
std::size_t element_size(const ArrayShape& shape);

// "a[3]", "element 3", "a at byte 7": the place `offset` bytes behind the start of `name`.
std::string element(std::string_view name, std::size_t offset, std::size_t size);
// "s[3][5]", by the variable's own dimensions; "s[3], its bytes 4-7" of a struct's member; "total" of one that is no array.
std::string element(std::string_view name, std::size_t offset, std::size_t size,
                    const ArrayShape& shape);

// The bytes of an access of `size` to an allocation, as elements of what the pointer to it points to: "a[3]";
// "p[3], its bytes 12-15" of a struct's member; "a[4] to a[7]" of more than one; "buffer, bytes 16-31" where the
// pointer is to bytes. Without a type the element is as large as the access.
std::string element_of_allocation(const std::string& name, long long offset, std::size_t size,
                                  const ArrayShape& shape);
// The same without a name: "element 3", "byte 12".
std::string place_in_allocation(std::size_t offset, std::size_t size, const ArrayShape& shape);

}  // namespace simt::check

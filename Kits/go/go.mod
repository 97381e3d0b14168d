// SPDX-License-Identifier: Apache-2.0 OR 0BSD
module example.com/kit-name

go 1.19

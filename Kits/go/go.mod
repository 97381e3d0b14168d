// SPDX-License-Identifier: Apache-2.0
module example.com/kit-name

go 1.19

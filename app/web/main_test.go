package web_test

import (
	"testing"

	"vivra/app/internal/testbrowser"
	"vivra/app/internal/testdb"
)

func TestMain(m *testing.M) { testdb.Main(m, testbrowser.Stop) }

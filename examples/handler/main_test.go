package main

func Example_main() {
	main()
	// Output: [8 9 4]
}

package main

func Example_main() {
	main()
	// Output: [0 0.5 0 2]
}
